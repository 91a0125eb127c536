import type { Database } from '@app/service-kit/database';
import { type DueScope, type DueSum, sumDue } from '../renewals/due-subscriptions.ts';
import { sumsWithout } from './charge-limit.rules.ts';
import { type ChargeLimit, chargesOf, readChargeLimit } from './charge-limit.ts';
import { type ForcedWork, readForcedWork } from './forced-work.ts';

/** What a run that is not forced charges. */
export interface ChargePlan {
  readonly limit: ChargeLimit;
  /** What it charges, renewals and retries apart. */
  readonly charged: readonly DueSum[];
  /** Begun by forced runs, and finished by this one whatever the limit. */
  readonly forced: ForcedWork | null;
  /** Whose charges those are; null when it charges nothing. */
  readonly scope: DueScope | null;
}

const nothingDue: ChargePlan = {
  ...{ limit: { times: 0, currencies: [], exceeded: false }, charged: [] },
  ...{ forced: null, scope: null },
};

/** The reads of a run, and of the preview: what forced runs have begun, and the rest if it is within the limit of charges. */
export async function readChargePlan(database: Database, scope: DueScope): Promise<ChargePlan> {
  const due = await sumDue(database, scope);
  // Most accounts on most days: one statement for each.
  if (due.length === 0) return nothingDue;
  const forced = await readForcedWork(database, scope.accountId, scope.now);
  const ofForced = forced === null ? null : { ...scope, forced };
  const begun = ofForced === null ? [] : await sumDue(database, ofForced);
  const limit = await readChargeLimit(database, scope, sumsWithout(chargesOf(due), chargesOf(begun)));
  const charged = limit.exceeded ? begun : due;
  const chargedScope = limit.exceeded ? ofForced : scope;
  return { limit, charged, forced, scope: charged.length === 0 ? null : chargedScope };
}
