import { canReceiveEmail } from '@app/contracts/common';
import { findBuyer } from '@app/contracts/portal';
import { type Shop, shopOf } from '@app/email/letter';
import type { Requester } from '@app/messaging/requester';
import type { LetterKind } from './letter-paths.ts';
import { isOfWithdrawal } from './withdrawal-words.rules.ts';

/** The account whose buyer gets a letter; all null in a letter to a user. */
export interface LetterSeller {
  readonly account_id: string | null;
  readonly business_name: string | null;
  readonly support_email: string | null;
  readonly test_mode: boolean | null;
  readonly email_verified: boolean | null;
  /** The address that the account was made with. */
  readonly sellers_own: string | null;
  readonly handle: string | null;
  readonly logo_name: string | null;
  readonly accent_color: string | null;
  readonly terms_url: string | null;
  readonly refund_policy_url: string | null;
  readonly withdrawal_days: number | null;
}

/** The seller as the letter shows it; null in a letter to a user, and of an account that is not verified. */
export function shopOfLetter(seller: LetterSeller, publicUrl: string): Shop | null {
  if (!seller.email_verified) return null;
  const { business_name: name, support_email: supportEmail, handle } = seller;
  if (name === null || supportEmail === null || handle === null) return null;
  const {
    logo_name: logoName,
    accent_color: accentColor,
    terms_url: termsUrl,
    refund_policy_url: refundPolicyUrl,
    withdrawal_days,
  } = seller;
  const withdrawalDays = withdrawal_days ?? 0;
  const settings = { handle, logoName, accentColor, termsUrl, refundPolicyUrl, withdrawalDays };
  return shopOf(settings, { name, supportEmail }, publicUrl);
}

export interface Addressing {
  readonly fromName: string;
  readonly to: string;
  readonly replyTo: string;
}

interface ToAddress extends LetterSeller {
  readonly id: string;
  readonly kind: LetterKind;
  readonly email: string;
}

/**
 * Whom a letter goes to; null where it is not to be sent. A buyer's is the seller's: it goes to an address that has bought
 * there. One that has bought in rehearsals alone may be anyone's: in test mode the letter then goes to the account's own
 * address. An account whose address is not verified writes to nobody. Of a withdrawal the letter goes to whoever declared it, bought or
 * not; while the account is not verified it is the platform's.
 * @throws while checkout cannot say whether the address has bought
 */
export async function recipientOf(
  requester: Requester,
  letter: ToAddress,
  replyTo: string,
): Promise<Addressing | null> {
  const { account_id: accountId, email, sellers_own: own } = letter;
  if (accountId === null || own === null) return { fromName: '', to: email, replyTo };
  if (isOfWithdrawal(letter.kind)) return withdrawerOf(letter, replyTo);
  if (!letter.email_verified) return null;
  const { bought, rehearsed } = await requester.request(findBuyer, { email }, { accountId, requestId: letter.id });
  const to = bought ? email : rehearsed && letter.test_mode ? own : null;
  if (to === null || !canReceiveEmail(to)) return null;
  return { fromName: letter.business_name ?? '', to, replyTo: letter.support_email || replyTo };
}

function withdrawerOf({ email: to, ...seller }: ToAddress, replyTo: string): Addressing | null {
  if (!canReceiveEmail(to)) return null;
  if (!seller.email_verified) return { fromName: '', to, replyTo };
  return { fromName: seller.business_name ?? '', to, replyTo: seller.support_email || replyTo };
}
