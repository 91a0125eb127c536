import type { Database } from '@app/service-kit/database';
import { type DueScope, type DueSum, sumDue } from '../renewals/due-subscriptions.ts';
import { readOldestDue } from '../renewals/oldest-due.ts';
import { type ForcedWork, readForcedWork } from '../runs/forced-work.ts';
import { type DueInCurrency, fewCharges, sumsWithout } from './charge-limit.rules.ts';
import { type ChargeLimit, chargesOf, readChargeLimit } from './charge-limit.ts';

/** What a run that is not forced charges. */
export interface ChargePlan {
  readonly limit: ChargeLimit;
  /** What waits for the next run, because more is due than the limit of charges allows; by currency. */
  readonly waiting: readonly DueInCurrency[];
  /** What it charges, renewals and retries apart. */
  readonly charged: readonly DueSum[];
  /** Begun by forced runs, and finished by this one whatever the limit. */
  readonly forced: ForcedWork | null;
  /** Whose charges those are; null when it charges nothing. */
  readonly scope: DueScope | null;
}

const nothingDue: ChargePlan = {
  ...{ limit: { times: 0, currencies: [], exceeded: false }, waiting: [], charged: [] },
  ...{ forced: null, scope: null },
};

/** The reads of a run, and of the preview: what forced runs have begun, and of the rest as much as the limit of charges allows, the longest due first. */
export async function readChargePlan(database: Database, scope: DueScope): Promise<ChargePlan> {
  const due = await sumDue(database, scope);
  // Most accounts on most days: one statement for each.
  if (due.length === 0) return nothingDue;
  const forced = await readForcedWork(database, scope.accountId, scope.now);
  const ofForced = forced === null ? null : { ...scope, forced };
  const begun = ofForced === null ? [] : await sumDue(database, ofForced);
  const limit = await readChargeLimit(database, scope, sumsWithout(chargesOf(due), chargesOf(begun)));
  if (!limit.exceeded) return { limit, waiting: [], charged: due, forced, scope };
  const exceeded = limit.currencies.filter((each) => each.exceeded);
  const allowances = exceeded.map(({ currency, limitCents }) => ({ currency, cents: limitCents ?? 0 }));
  const cutOffs = await readOldestDue(database, scope, { forced, allowances, anyway: fewCharges });
  const waiting = exceeded.map(({ currency, count, dueCents }) => {
    const oldest = cutOffs.find((cutOff) => cutOff.currency === currency);
    return { currency, count: count - (oldest?.count ?? 0), cents: dueCents - (oldest?.cents ?? 0) };
  });
  const bounded = { ...scope, bounds: { forced, cutOffs } };
  return { limit, waiting, charged: await sumDue(database, bounded), forced, scope: bounded };
}
