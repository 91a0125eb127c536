import { answerTypes } from './payment-store.ts';

const updateWith = (
  nextCheckAt: string,
): string => `status = c.status, decline_kind = c.decline_kind, decline_reason = c.decline_reason,
  decline_message = c.decline_message, processor_reference = coalesce(c.processor_reference, p.processor_reference),
  action_url = c.action_url, last_four = coalesce(c.last_four, p.last_four),
  wallet = coalesce(c.wallet, p.wallet), finished_at = c.finished_at,
  next_check_at = ${nextCheckAt}`;
/** How a statement updates payments as `p` from rows of `PaymentUpdate` as `c`. */
export const updateColumns = updateWith('c.next_check_at');
/** The same of renewals: what waits for its buyer keeps an earlier look-up, as one that `hurryRenewalsStatement` has set meanwhile. */
export const updateRenewalColumns = updateWith(
  `case when c.status = 'requires_action' then least(c.next_check_at, p.next_check_at) else c.next_check_at end`,
);
/** Where what a payment may leave was compared before. */
export const checkedUpdateTypes = {
  id: 'text',
  account_id: 'text',
  status: 'text',
  ...answerTypes,
  next_check_at: 'timestamptz',
} as const;
export const updateTypes = { ...checkedUpdateTypes, from: 'text[]' } as const;
