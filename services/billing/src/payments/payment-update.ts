import { recordOf } from '@app/service-kit/row-arrays';
import { answerTypes } from './payment-rows.ts';

/** How a statement updates payments as `p` from rows of `PaymentUpdate` as `c`. */
export const updateColumns = `status = c.status, decline_kind = c.decline_kind, decline_reason = c.decline_reason,
  decline_message = c.decline_message, processor_reference = coalesce(c.processor_reference, p.processor_reference),
  action_url = c.action_url, last_four = coalesce(c.last_four, p.last_four), finished_at = c.finished_at,
  next_check_at = c.next_check_at`;
/** Where what a payment may leave was compared before. */
export const checkedUpdateTypes = {
  id: 'text',
  account_id: 'text',
  status: 'text',
  ...answerTypes,
  next_check_at: 'timestamptz',
} as const;
export const updateRecord = `${recordOf(checkedUpdateTypes)}, "from" text[]`;
