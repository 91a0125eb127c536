import type { Database } from '@app/service-kit/database';
import { type DueScope, type DueSum, sumDue } from '../subscriptions/renewals/due-subscriptions.ts';
import { readOldestDue } from '../subscriptions/renewals/oldest-due.ts';
import { type DueInCurrency, fewCharges } from './charge-limit.rules.ts';
import { type ChargeLimit, chargesOf, readChargeLimit } from './charge-limit.ts';
import { readLimitWaiver } from './limit-waiver.ts';

/** What a run charges. */
export interface ChargePlan {
  readonly limit: ChargeLimit;
  /** What waits for the next run, because more is due than the limit of charges allows; by currency. */
  readonly waiting: readonly DueInCurrency[];
  /** What it charges, renewals and retries apart. */
  readonly charged: readonly DueSum[];
  /** What was due by then is charged whatever the limit; null when nothing is waived. */
  readonly waivedUntil: Date | null;
  /** Whose charges those are; null when it charges nothing. */
  readonly scope: DueScope | null;
}

const nothingDue: ChargePlan = {
  limit: { times: 0, currencies: [], exceeded: false },
  waiting: [],
  charged: [],
  waivedUntil: null,
  scope: null,
};

/** The reads of a run, and of the preview: what is waived, and of the rest as much as the limit of charges allows, the longest due first. */
export async function readChargePlan(database: Database, scope: DueScope): Promise<ChargePlan> {
  const due = await sumDue(database, scope);
  // Most accounts on most days: one statement for each.
  if (due.length === 0) return nothingDue;
  const waivedUntil = await readLimitWaiver(database, scope.accountId, scope.now);
  const counted = waivedUntil === null ? due : await sumDue(database, scope, { dueBy: waivedUntil });
  const limit = await readChargeLimit(database, scope, chargesOf(counted));
  if (!limit.exceeded) return { limit, waiting: [], charged: due, waivedUntil, scope };
  const exceeded = limit.currencies.filter((each) => each.exceeded);
  const allowances = exceeded.map(({ currency, limitCents }) => ({ currency, cents: limitCents ?? 0 }));
  // What is waived was due before them all, so it is not cut off.
  const cutOffs = await readOldestDue(database, scope, { waivedUntil, allowances, anyway: fewCharges });
  const waiting = exceeded.map(({ currency, count, dueCents }) => {
    const oldest = cutOffs.find((cutOff) => cutOff.currency === currency);
    return { currency, count: count - (oldest?.count ?? 0), cents: dueCents - (oldest?.cents ?? 0) };
  });
  const bounded = { ...scope, cutOffs };
  return { limit, waiting, charged: await sumDue(database, bounded), waivedUntil, scope: bounded };
}
