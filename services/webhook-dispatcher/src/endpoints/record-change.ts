import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { inIndexOrder } from '@app/service-kit/planner';
import type { EntityManager } from '@mikro-orm/postgresql';

export interface Discard {
  /** `others` are all but those of orders, as `held: orders` names them. */
  readonly which: 'all' | 'others';
  /** Also what is still pending: the endpoint was off, and not everything was held yet. */
  readonly withPending: boolean;
}

/** The newest delivery that waits: what comes later is not concerned. */
const recordStatement = statement(
  'record-change-record',
  `
  insert into endpoint_changes as u (endpoint_id, account_id, url, changed_at, hold_until, discard_until, others_until)
  select $1, $2, $3, $4, case when $6 then last.id end, case when $5 = 'all' then last.id end,
    case when $5 = 'others' then last.id end
  from (select greatest(
    (select id from deliveries where status = 'held' and endpoint_id = $1 order by id desc limit 1),
    (select id from deliveries where status = 'pending' and endpoint_id = $1 order by id desc limit 1)) as id) last
  on conflict (endpoint_id) do update set changed_at = excluded.changed_at, url = excluded.url,
    hold_until = greatest(u.hold_until, excluded.hold_until),
    discard_until = greatest(u.discard_until, excluded.discard_until),
    others_until = greatest(u.others_until, excluded.others_until),
    others_after = case when excluded.others_until is null then u.others_after else '' end`,
);

/**
 * Records, in the transaction of the change, that it must be applied to the deliveries that wait for the endpoint
 * (applying-changes.ts). So the transaction stays short however many they are, and no event waits for it. A former choice
 * that is not applied yet stays.
 * @param endpoint of the account; locked
 * @param discard what is to be dropped of the deliveries that wait now
 */
export async function recordChange(
  tx: EntityManager,
  endpoint: { readonly id: string; readonly accountId: string; readonly url?: string | null | undefined },
  now: Date,
  discard?: Discard,
): Promise<void> {
  const { id, accountId, url = null } = endpoint;
  await executeBound(tx, inIndexOrder());
  await executeBound(
    tx,
    recordStatement([id, accountId, url, now, discard?.which ?? null, discard?.withPending === true]),
  );
}
