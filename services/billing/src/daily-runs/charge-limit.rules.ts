import { formatAmount } from '@app/money/format';

/** So few charges never stop a run: what they can do wrong is small. */
const fewCharges = 20;

/** Sums in minor units by currency. */
export type Sums = Readonly<Record<string, number>>;

export interface DueInCurrency {
  readonly currency: string;
  readonly count: number;
  readonly cents: number;
}

export interface LimitInCurrency {
  readonly currency: string;
  readonly count: number;
  readonly dueCents: number;
  readonly normalCents: number;
  /** Null: no limit. */
  readonly limitCents: number | null;
  readonly exceeded: boolean;
}

/**
 * Compares what is due with what is normal: the larger of the largest run of late and what fell due of late. So a day on
 * which many bought a month ago runs through, and a clock that jumped, a restored backup or a wrong import does not.
 * @param times the account's setting; 0 is no limit
 */
export function chargeLimits(
  due: readonly DueInCurrency[],
  largest: Sums,
  recent: Sums,
  times: number,
): LimitInCurrency[] {
  return due.map(({ currency, count, cents }) => {
    const normalCents = Math.max(largest[currency] ?? 0, recent[currency] ?? 0);
    const limitCents = times === 0 ? null : times * normalCents;
    const exceeded = limitCents !== null && count > fewCharges && cents > limitCents;
    return { currency, count, dueCents: cents, normalCents, limitCents, exceeded };
  });
}

/** What the seller reads, in Recent activity and in the result. */
export function chargeLimitText(limits: readonly LimitInCurrency[], times: number): string {
  const over = limits
    .filter(({ exceeded }) => exceeded)
    .map(
      ({ currency, count, dueCents, normalCents }) =>
        `${count} charges over ${formatAmount(dueCents, currency)} are due, more than ${times} times what is normal ` +
        `(${formatAmount(normalCents, currency)})`,
    );
  return (
    `The daily run stopped before charging: ${over.join('; ')}. If that is right, run it with { "force": true } or raise ` +
    'dailyChargeLimit; if not, look for a wrong clock, a restored backup or a wrong import.'
  );
}
