import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';

const beside = (amounts: Html) =>
  html`<p class="small quiet">The payment processor also kept ${amounts}, which is not taken off here.</p>`;

interface Amount {
  readonly currency: string;
  readonly cents: number;
}

/** Of fees of amounts in one currency: what can be taken off these, null where nothing can, and what was kept in other currencies. */
export function feesIn(
  currency: string,
  fees: readonly Amount[],
): { readonly own: number | null; readonly others: readonly Amount[] } {
  const sums = new Map<string, number>();
  for (const fee of fees) sums.set(fee.currency, (sums.get(fee.currency) ?? 0) + fee.cents);
  return {
    own: sums.get(currency) ?? null,
    others: [...sums].filter(([name]) => name !== currency).map(([name, cents]) => ({ currency: name, cents })),
  };
}

/** The sentence about fees in other currencies; nothing where there are none. */
export const otherFees = (others: readonly Amount[], formats: Formats): Html =>
  others.length === 0
    ? html``
    : beside(
        joined(
          others.map(({ cents, currency }) => html`<bdi>${formats.amount(cents, currency)}</bdi>`),
          ', ',
        ),
      );
