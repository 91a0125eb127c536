/** These notify of what happened: their page does nothing by itself. */
export type NoticeKind =
  | 'email_change_notice'
  | 'login_notice'
  | 'password_notice'
  | 'change_notice'
  | WithdrawalLetterKind;

/** To whoever withdrew from a contract, that it was received or declined; and to the user of the account that it was received. */
export type WithdrawalLetterKind =
  | 'withdrawal_received_notice'
  | 'withdrawal_declined_notice'
  | 'withdrawal_seller_notice';

export type LetterKind =
  | 'verification'
  | 'password_reset'
  | 'portal_link'
  | 'email_change'
  | 'support_email'
  | NoticeKind;

/** Where the links of each kind lead, under this deployment's address or the seller's portal; the token follows, but in a notice. */
export const letterPaths: Readonly<Record<LetterKind, string>> = {
  verification: '/letters/verification',
  password_reset: '/letters/password-reset',
  portal_link: '/open',
  email_change: '/letters/email-change',
  support_email: '/letters/support-email',
  email_change_notice: '/forgot-password',
  login_notice: '/forgot-password',
  password_notice: '/forgot-password',
  change_notice: '/forgot-password',
  withdrawal_received_notice: '',
  withdrawal_declined_notice: '',
  withdrawal_seller_notice: '/app/orders/withdrawals',
};

/** Of a letter without a token. */
export const isNotice = (kind: LetterKind): kind is NoticeKind => kind.endsWith('_notice');
