import { readSettingsOf } from '@app/account-settings/read-settings';
import { dayMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';
import { type Database, statement } from '@app/service-kit/database';
import { type DueScope, type DueSum, sumDue } from '../subscriptions/renewals/due-subscriptions.ts';
import { chargeLimits, type DueInCurrency, type LimitInCurrency, type Sums } from './charge-limit.rules.ts';

/** A month of 31 days, and some on which no run was made. */
const largestOfDays = 35;
/** After days without a run, what fell due in the last of them is normal, and the rest follows within days. */
const recentDays = 3;

/** Runs have ids of their time, so that the index of the list finds those of late. */
const largestStatement = statement<{ currency: string; cents: number }>(
  'daily-runs-largest',
  `select charged.key as currency, max(charged.value::bigint)::bigint as cents
   from daily_runs as r, jsonb_each_text(r.result -> 'chargedByCurrency') as charged
   where r.account_id = $1 and r.id >= $2 and r.result is not null
   group by charged.key`,
  { cents: 'int8', currency: 'text' },
);

export interface ChargeLimit {
  readonly times: number;
  readonly currencies: readonly LimitInCurrency[];
  readonly exceeded: boolean;
}

/** How many of them are charged, without the periods that pass and the attempts that count without a charge. */
export const chargesOf = (sums: readonly DueSum[]): (DueInCurrency & { readonly retry: boolean })[] =>
  sums
    .map(({ currency, retry, charges, cents }) => ({ currency, retry, count: charges, cents }))
    .filter(({ count }) => count > 0);

/** Whether what is due to be charged is more than the account's limit of charges, in any currency. */
export async function readChargeLimit(
  database: Database,
  scope: DueScope,
  due: readonly DueInCurrency[],
): Promise<ChargeLimit> {
  const nowMs = scope.now.getTime();
  const since = idFloor('dailyRun', nowMs - largestOfDays * dayMs);
  const [settings, largest, recent] = await Promise.all([
    readSettingsOf(database.pool, scope.accountId),
    database.pool.query(largestStatement([scope.accountId, since])),
    sumDue(database, scope, { fellDueBy: new Date(nowMs - recentDays * dayMs) }),
  ]);
  const times = settings.dailyChargeLimit;
  const currencies = chargeLimits(byCurrency(due), sumsOf(largest.rows), sumsOf(byCurrency(recent)), times);
  return { times, currencies, exceeded: currencies.some(({ exceeded }) => exceeded) };
}

/** Renewals and retries together. */
function byCurrency(sums: readonly DueInCurrency[]): DueInCurrency[] {
  const together = new Map<string, DueInCurrency>();
  for (const { currency, count, cents } of sums) {
    const sum = together.get(currency) ?? { currency, count: 0, cents: 0 };
    together.set(currency, { currency, count: sum.count + count, cents: sum.cents + cents });
  }
  return [...together.values()];
}

const sumsOf = (rows: readonly { currency: string; cents: number }[]): Sums =>
  Object.fromEntries(rows.map(({ currency, cents }) => [currency, cents]));
