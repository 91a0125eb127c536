/**
 * Integer division rounding halves up (away from zero for negatives too), exact beyond 2^53 in between.
 * @throws RangeError when the divisor is not positive
 */
export function divideHalfUp(dividend: number | bigint, divisor: number | bigint): number {
  const by = BigInt(divisor);
  if (by <= 0n) throw new RangeError('the divisor must be positive');
  const of = BigInt(dividend);
  const magnitude = of < 0n ? -of : of;
  const rounded = (magnitude * 2n + by) / (by * 2n);
  return Number(of < 0n ? -rounded : rounded);
}

/**
 * A share of an amount in minor units, half up.
 * @param percent 0–100 with at most two decimals
 */
export function percentOf(cents: number, percent: number): number {
  return divideHalfUp(BigInt(cents) * BigInt(Math.round(percent * 100)), 10_000);
}

/** What a subscription is worth a month, in minor units: a yearly price ÷ 12, half up, rounded for each subscription. */
export function monthlyCents(amountCents: number, interval: 'month' | 'year'): number {
  return interval === 'year' ? divideHalfUp(amountCents, 12) : amountCents;
}

/** A rate as a fraction with four decimals; 0 when there is nothing to divide by. */
export function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : divideHalfUp(part * 10_000, whole) / 10_000;
}
