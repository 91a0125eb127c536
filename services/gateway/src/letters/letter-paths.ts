export type LetterKind = 'verification' | 'password_reset' | 'portal_link';

/** Where the links of each kind lead, under this deployment's address or the seller's portal; the token follows. */
export const letterPaths: Readonly<Record<LetterKind, string>> = {
  verification: '/letters/verification',
  password_reset: '/letters/password-reset',
  portal_link: '/open',
};
