import { formatAmount } from '@app/money/format';

/** What sellers are notified of at the end of a refund. */

export interface RefundedSale {
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  readonly total_cents: number;
  readonly currency: string;
  /** Of the order and its renewals. */
  readonly given_back_cents: number;
}

export const renewalUnderWayText =
  'A renewal of its subscription is under way at the payment processor. The order becomes refunded when that has ended; the ' +
  'charge of the renewal may still be taken.';

export const renewalMayBeChargedText =
  'A renewal of its subscription is under way at the payment processor and may still be charged: refund that payment once the ' +
  'subscription shows it. No further renewal follows.';

export function refundedText(sale: RefundedSale, refundedCents: number): string {
  const { source, test, currency, given_back_cents } = sale;
  if (source === 'api' && given_back_cents > 0 && !test) {
    return `The buyer gets ${formatAmount(given_back_cents, currency)} of its renewals back. The order itself was recorded by your own code, which took the money: the platform gave nothing of that back.`;
  }
  if (source === 'api')
    return 'The order was recorded by your own code, which took the money: the platform gave nothing back.';
  if (test) return 'The order was a rehearsal: no money was taken, so none is given back.';
  return `The buyer gets ${formatAmount(refundedCents, currency)} back.`;
}

export const noPaymentText =
  'No payment of this order is recorded, so nothing was given back. Look it up at the payment processor, and give it back there.';

export const processingText = (orderRefunded: boolean): string =>
  orderRefunded
    ? 'The order was given back; the processor has not answered yet for its renewals.'
    : 'The processor has not answered yet; the order becomes refunded when it has.';

/** @param reason in the processor's words; null when it gave none */
export const renewalRefusedText = (reason: string | null): string =>
  `The order was given back; the processor refused the refund of a renewal. ${saidText(reason)} Refund the renewals again to try once more.`;

/** @param charge what is left of it, and the processor's words */
export const refusedChargeText = (
  { amountCents, detail }: { readonly amountCents: number; readonly detail: string | null },
  currency: string,
): string => `${formatAmount(amountCents, currency)} of this payment did not go back. ${saidText(detail)}`;

const saidText = (reason: string | null): string => (reason === null ? 'It gave no reason.' : `It said: ${reason}`);

/** @param reason in the processor's words; null when it gave none */
export function refusedText(
  { total_cents, currency }: RefundedSale,
  refundedCents: number,
  reason: string | null,
): string {
  const [total, given, rest] = [total_cents, refundedCents, total_cents - refundedCents].map((cents) =>
    formatAmount(cents, currency),
  );
  const said = saidText(reason);
  if (refundedCents === 0)
    return `The processor refused the refund of ${total}, and nothing was given back. ${said} Refund the order again to try once more.`;
  return (
    `${given} of ${total} was given back; the processor refused the other ${rest}. ${said} ` +
    'The order counts as paid. Refund it again to try the rest once more: nothing is given back twice.'
  );
}
