import { formatAmount } from '@app/money/format';
import type { Charge, OrderMoney, Payment, RefundedDispute } from '../charging/payment.types.ts';

/** The open dispute that keeps a charge from being refunded; undefined where none does. */
export const disputeOf = ({ disputes }: OrderMoney, { id }: Charge): RefundedDispute | undefined =>
  disputes.find(({ payment_id, open, refundable }) => payment_id === id && open && !refundable);

/** Whether the processor refused a refund because the charge is disputed, before billing knew of that. */
export const isDisputedThere = ({ declineReason }: Pick<Payment, 'declineReason'>): boolean =>
  declineReason === 'charge_disputed';

/* What sellers read. */

export const disputedText = ({ reason }: Pick<RefundedDispute, 'reason'>): string =>
  `The buyer’s bank disputes this payment (${reason}), so it cannot be refunded. Answer the dispute at the payment processor; if it is lost, the buyer has the money.`;

export const disputedThereText =
  'The payment processor says that the buyer’s bank disputes this payment, so it cannot be refunded. Answer the dispute there; if it is lost, the buyer has the money.';

export const lostText = ({ lostCents, currency }: Pick<Charge, 'lostCents' | 'currency'>): string =>
  `The buyer has ${formatAmount(lostCents, currency)} of this payment by a dispute that was lost: nothing more can be refunded.`;
