import { divideHalfUp } from '@app/money/arithmetic';

/** What a subscription is worth a month, in minor units: a yearly price ÷ 12, half up. */
export function monthlyCents(amountCents: number, interval: 'month' | 'year'): number {
  return interval === 'year' ? divideHalfUp(amountCents, 12) : amountCents;
}
