/** Amounts as Stripe counts them: https://docs.stripe.com/currencies. Currencies are lower-case ISO 4217 codes. */

/** How many of Stripe's minor units one of ours is, where they differ. Stripe wants `00` after krónur and shillings. */
const hundredfold = new Set(['isk', 'ugx']);
/** Ours are hundredths of an ariary, Stripe's are whole ones. */
const hundredth = new Set(['mga']);
/** Thousandths that have to end in 0. */
const tens = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const notOffered = new Set(['clf', 'iqd', 'lyd', 'uyi', 'uyw']);
/** What one charge may be at most, in Stripe's minor units: eight digits. */
const largestAmount = 99_999_999;
/** Stripe takes more digits of these, and how many has changed: it decides itself. */
const moreDigits = new Set(['cop', 'huf', 'idr', 'inr', 'jpy', 'lbp']);

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
  const step = stepOf(currency);
  if (amountCents % step !== 0) {
    const message = `Stripe takes amounts in ${currency.toUpperCase()} only as multiples of ${step} of the minor unit.`;
    return { impossible: 'amount_not_possible', message };
  }
  return { amount: hundredth.has(currency) ? amountCents / 100 : amountCents };
}

/** What amounts have to be multiples of, in our minor units. */
const stepOf = (currency: string): number => (hundredth.has(currency) ? 100 : tens.has(currency) ? 10 : 1);

/** A price that no Stripe account can charge: which part of it is wrong, and what would be right. */
export interface ImpossibleAtStripe {
  readonly field: 'currency' | 'priceCents';
  readonly message: string;
}

/**
 * The smallest charge in the currency that an account is paid out in, in minor units that are ours and Stripe's alike:
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. A charge in another currency has to be worth as much.
 */
const smallestCharges = new Map(
  (
    [
      [30, ['gbp']],
      [50, ['aud', 'brl', 'cad', 'chf', 'eur', 'inr', 'jpy', 'nzd', 'sgd', 'usd']],
      [100, ['bgn']],
      [200, ['aed', 'myr', 'pln', 'ron']],
      [250, ['dkk']],
      [300, ['nok', 'sek']],
      [400, ['hkd']],
      [1_000, ['mxn', 'thb']],
      [1_500, ['czk']],
      [17_500, ['huf']],
    ] as const
  ).flatMap(([amount, currencies]) => currencies.map((currency): [string, number] => [currency, amount])),
);

/**
 * What is wrong with a price that is charged by itself, for an account that is paid out in its currency; undefined for any other.
 * For an account with another currency the rate of the day decides, so it is Stripe's to refuse when it is charged.
 * @param priceCents in minor units; 0 is never charged, so it is always possible
 */
export function belowSmallestCharge(priceCents: number, currency: string): ImpossibleAtStripe | undefined {
  const smallest = smallestCharges.get(currency);
  if (priceCents === 0 || smallest === undefined || priceCents >= smallest) return undefined;
  const message = `must be 0 or at least ${smallest}: Stripe, your payment processor, charges no less in ${currency.toUpperCase()}`;
  return { field: 'priceCents', message };
}

/**
 * Whether a price is one that Stripe refuses from every account. What is too small depends on the account: `belowSmallestCharge`.
 * @param priceCents in our minor units; 0 is never charged, so it is always possible
 */
export function impossibleAtStripe(priceCents: number, currency: string): ImpossibleAtStripe | undefined {
  if (priceCents === 0) return undefined;
  const code = currency.toUpperCase();
  if (notOffered.has(currency)) {
    const message = `must be one that Stripe, your payment processor, supports: it takes no payments in ${code}`;
    return { field: 'currency', message };
  }
  const step = stepOf(currency);
  if (priceCents % step !== 0) {
    const message = `must be 0 or a multiple of ${step}, at least ${step}: Stripe, your payment processor, takes no other amounts in ${code}`;
    return { field: 'priceCents', message };
  }
  // 99,999,999 hundredths of a króna are 999,999 whole ones.
  const most = hundredfold.has(currency) ? Math.floor(largestAmount / 100) : fromStripeAmount(largestAmount, currency);
  if (priceCents <= most || moreDigits.has(currency)) return undefined;
  return {
    field: 'priceCents',
    message: `must be at most ${most}: Stripe, your payment processor, takes no more in ${code}`,
  };
}

/** @returns our minor units; of what the seller made at Stripe itself, rounded to them */
export function fromStripeAmount(amount: number, currency: string): number {
  if (hundredfold.has(currency)) return Math.round(amount / 100);
  return hundredth.has(currency) ? amount * 100 : amount;
}
