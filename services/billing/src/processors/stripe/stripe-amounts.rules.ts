/** Amounts as Stripe counts them: https://docs.stripe.com/currencies. Currencies are lower-case ISO 4217 codes. */

/** How many of Stripe's minor units one of ours is, where they differ. Stripe wants `00` behind krónur and shillings. */
const hundredfold = new Set(['isk', 'ugx']);
/** Ours are hundredths of an ariary, Stripe's are whole ones. */
const hundredth = new Set(['mga']);
/** Thousandths that have to end in 0. */
const tens = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const notOffered = new Set(['clf', 'iqd', 'lyd', 'uyi', 'uyw']);

export type StripeAmount =
  | { readonly amount: number }
  /** Why Stripe cannot take it: a code and words for the seller. */
  | { readonly impossible: 'currency_not_supported' | 'amount_not_possible'; readonly message: string };

/** @param amountCents in our minor units */
export function toStripeAmount(amountCents: number, currency: string): StripeAmount {
  if (notOffered.has(currency)) {
    return { impossible: 'currency_not_supported', message: `Stripe takes no payments in ${currency.toUpperCase()}.` };
  }
  if (hundredfold.has(currency)) return { amount: amountCents * 100 };
  const step = hundredth.has(currency) ? 100 : tens.has(currency) ? 10 : 1;
  if (amountCents % step !== 0) {
    const message = `Stripe takes amounts in ${currency.toUpperCase()} only as multiples of ${step} of the minor unit.`;
    return { impossible: 'amount_not_possible', message };
  }
  return { amount: hundredth.has(currency) ? amountCents / 100 : amountCents };
}

/** @returns our minor units; of what the seller made at Stripe itself, rounded to them */
export function fromStripeAmount(amount: number, currency: string): number {
  if (hundredfold.has(currency)) return Math.round(amount / 100);
  return hundredth.has(currency) ? amount * 100 : amount;
}
