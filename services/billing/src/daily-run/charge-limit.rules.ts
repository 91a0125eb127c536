import { formatAmount } from '@app/money/format';

/** So many charges of a currency a run always makes: what they can do wrong is small. Periods that pass without a charge do not count. */
export const fewCharges = 100;

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
  /** Null: no limit, because the account has none or because no more charges are due than a run always makes. */
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
    const limitCents = times === 0 || count <= fewCharges ? null : times * normalCents;
    const exceeded = limitCents !== null && cents > limitCents;
    return { currency, count, dueCents: cents, normalCents, limitCents, exceeded };
  });
}

/**
 * What the seller reads, in Recent activity and in the result.
 * @param waiting what of it is left to the next run
 */
export function chargeLimitText(
  limits: readonly LimitInCurrency[],
  waiting: readonly DueInCurrency[],
  times: number,
): string {
  const over = limits.filter(({ exceeded }) => exceeded);
  // A multiple of 0 would let nothing through.
  const raised = over.every(({ normalCents }) => normalCents > 0)
    ? 'raise dailyChargeLimit'
    : 'set dailyChargeLimit to 0 (no limit)';
  const left = waiting.map(({ currency, count, cents }) => `${count} wait (${formatAmount(cents, currency)})`);
  return (
    `More was due than a daily run charges at once: ${over.map((limit) => overText(limit, times)).join('; ')}. The longest ` +
    `due are charged first, and ${left.join(', ')} for the next run. If what is due is right, charge it at once with ` +
    `{ "force": true } or ${raised}; if not, check for a wrong clock, a restored backup or a wrong import.`
  );
}

function overText({ currency, count, dueCents, normalCents }: LimitInCurrency, times: number): string {
  const due = `${count} charges, together ${formatAmount(dueCents, currency)}, were due`;
  if (normalCents > 0)
    return `${due}, more than ${times} times what is normal (${formatAmount(normalCents, currency)})`;
  const code = currency.toUpperCase();
  return `${due}, and nothing in ${code} was charged in one run or fell due of late, so nothing says what is normal`;
}
