import { formatAmount } from '@app/money/format';

/** What sellers are told of the end of a refund. */

export interface RefundedSale {
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  readonly total_cents: number;
  readonly currency: string;
}

export function refundedText({ source, test, currency }: RefundedSale, refundedCents: number): string {
  if (source === 'api')
    return 'The order was recorded by your own code, which took the money: the platform gave nothing back.';
  if (test) return 'The order was a rehearsal: no money was taken, so none is given back.';
  return `The buyer gets ${formatAmount(refundedCents, currency)} back.`;
}

/** @param reason in the processor's words; null when it gave none */
export function refusedText(
  { total_cents, currency }: RefundedSale,
  refundedCents: number,
  reason: string | null,
): string {
  const [total, given, rest] = [total_cents, refundedCents, total_cents - refundedCents].map((cents) =>
    formatAmount(cents, currency),
  );
  const said = reason === null ? 'It gave no reason.' : `It said: ${reason}`;
  if (refundedCents === 0)
    return `The processor refused the refund of ${total}, and nothing was given back. ${said} Refund the order again to try once more.`;
  return (
    `${given} of ${total} was given back; the processor refused the other ${rest}. ${said} ` +
    'The order counts as paid. Refund it again to try the rest once more: nothing is given back twice.'
  );
}
