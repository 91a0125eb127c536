import { emailKey } from '@app/contracts/email-key';

/** Where buyers write to, of an account. */
export interface SupportEmail {
  readonly supportEmail: string;
  /** Whether emails may be sent there. */
  readonly supportEmailVerified: boolean;
  /** Given, and not confirmed yet; null for none. */
  readonly supportEmailPending: string | null;
}

export const isSameMailbox = (one: string, other: string | null): boolean =>
  other !== null && emailKey(one) === emailKey(other);

/**
 * What an account has once it gives an address for support. Its own address counts at once: while that is not verified, the account
 * sends nothing anyway. The one that it has ends one that waits; any other waits until it has confirmed.
 */
export function supportEmailAfter(before: SupportEmail & { readonly email: string }, given: string): SupportEmail {
  if (isSameMailbox(given, before.email))
    return { supportEmail: given, supportEmailVerified: true, supportEmailPending: null };
  const { supportEmail, supportEmailVerified } = before;
  if (isSameMailbox(given, supportEmail)) return { supportEmail, supportEmailVerified, supportEmailPending: null };
  return { supportEmail, supportEmailVerified, supportEmailPending: given };
}

/** The address that is asked to confirm; null where none is. One of an earlier version may have it without having been asked. */
export function unconfirmedOf({
  supportEmail,
  supportEmailVerified,
  supportEmailPending,
  email,
}: SupportEmail & { readonly email: string }): string | null {
  if (supportEmailPending !== null) return supportEmailPending;
  return supportEmailVerified || isSameMailbox(supportEmail, email) ? null : supportEmail;
}
