import type { z } from 'zod';
import type { declineReason } from './payments.ts';

/** Codes of declines, the processors' and ours, that say nothing of the card. */
const passingReasons = new Set([
  'not_received',
  'given_up',
  'processor_key_unreadable',
  'no_payment_processor',
  'nothing_done',
  'other_payment',
  'processing_error',
  'issuer_not_available',
  'try_again_later',
]);

/** What buyers read about a decline. @param reason the code in the payment log */
export function buyerReason(reason: string | null): z.infer<typeof declineReason> {
  return reason !== null && passingReasons.has(reason) ? 'try_again_later' : 'card_declined';
}
