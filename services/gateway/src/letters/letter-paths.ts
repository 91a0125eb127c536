export type LetterKind = 'verification' | 'password_reset' | 'portal_link' | 'email_change' | 'email_change_notice';

/** Where the links of each kind lead, under this deployment's address or the seller's portal; the token follows, but for a notice. */
export const letterPaths: Readonly<Record<LetterKind, string>> = {
  verification: '/letters/verification',
  password_reset: '/letters/password-reset',
  portal_link: '/open',
  email_change: '/letters/email-change',
  email_change_notice: '/forgot-password',
};
