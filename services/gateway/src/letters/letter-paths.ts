export type LetterKind = 'verification' | 'password_reset';

/** Where the links of each kind lead; the token follows. */
export const letterPaths: Readonly<Record<LetterKind, string>> = {
  verification: '/letters/verification',
  password_reset: '/letters/password-reset',
};
