import { orderEventNames } from '@app/contracts/webhooks';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { inIndexOrder } from '@app/service-kit/planner';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { reasonSql } from '../deliveries/end-reasons.rules.ts';
import { finishDeliveries, insertFinished, keptColumns } from '../deliveries/finish-deliveries.ts';
import { isTestSend } from '../deliveries/test-send.rules.ts';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import type { Role } from '../destinations/destination-kind.types.ts';
import { endpointChangeApplied } from '../points/points.ts';
import { afterAllIdsAndSuffixes } from '../storage/index-scans.ts';
import type { Partitions } from '../storage/partitions.ts';
import { endpointRemovedText, heldDroppedText } from '../texts/activity.rules.ts';

/** A shared lock: events for the endpoint may be stored meanwhile, but it may not be changed. */
const endpointStatement = statement<Switched>(
  'endpoint-of-change',
  `select active, role from endpoints where id = $1 for share`,
  { active: 'bool', role: 'text' },
);

/**
 * The change that is not applied yet. Changes, too, lock the endpoint first and this row second, so that two transactions
 * never wait for each other.
 */
const changeStatement = statement<Change>(
  'endpoint-change',
  `select endpoint_id, account_id, url, canceled, hold_until, discard_until, others_until, others_after
   from endpoint_changes where endpoint_id = $1 for update`,
  {
    endpoint_id: 'text',
    account_id: 'text',
    url: 'text',
    canceled: 'int4',
    hold_until: 'text',
    discard_until: 'text',
    others_until: 'text',
    others_after: 'text',
  },
);

/** The endpoint's oldest ones up to an id, by the index of waiting deliveries. */
const oldest = (status: 'pending' | 'held', columns = 'id') => `
  select ${columns} from deliveries where status = '${status}' and endpoint_id = $1 and id > $5 and id <= $4
  order by id limit $3 for update`;
const batchOf = (status: 'pending' | 'held') => `d.account_id = $2 and d.id = any (array(${oldest(status)}))`;

const holdStatement = statement(
  'deliveries-hold',
  `update deliveries d set status = 'held' where ${batchOf('pending')}`,
);
const cancel = (status: 'pending' | 'held') =>
  `with canceled as (delete from deliveries d where ${batchOf(status)} returning ${keptColumns})
   ${insertFinished('canceled', { status: `'canceled'`, reason: reasonSql('removed'), at: '$6' })}`;
const cancelPendingStatement = statement('deliveries-cancel-pending', cancel('pending'));
const cancelHeldStatement = statement('deliveries-cancel-held', cancel('held'));
const insertDiscarded = insertFinished('canceled', { status: `'canceled'`, reason: reasonSql('discarded'), at: '$6' });
/** What was dropped, for the notice: without test sends, as what is held is counted (endpoint-resource.ts). */
const discarded = `${keptColumns}, ${isTestSend('d')} as is_test_send`;
const addDiscarded = 'canceled = canceled + (select count(*)::int from canceled where not is_test_send)';
const discardStatement = statement(
  'deliveries-discard',
  `with canceled as (delete from deliveries d where ${batchOf('held')} returning ${discarded}
   ), finished as (${insertDiscarded}
   )
   update endpoint_changes set ${addDiscarded}
   where endpoint_id = $1 and account_id = $2 and exists (select from canceled)`,
);
const isOrder = `event_name in (${orderEventNames.map((name) => `'${name}'`).join(', ')})`;
/** Deliveries of orders stay, so the next batch begins after the last delivery that was read. */
const discardOthersStatement = statement(
  'deliveries-discard-others',
  `with batch as materialized (${oldest('held', 'id, event_name')}
   ), canceled as (
     delete from deliveries d
     where d.account_id = $2 and d.id = any (array(select id from batch where not ${isOrder})) returning ${discarded}
   ), finished as (${insertDiscarded}
   )
   update endpoint_changes
   set others_after = (select max(id) from batch), ${addDiscarded}
   where endpoint_id = $1 and account_id = $2 and exists (select from batch)`,
);
const countStatement = statement(
  'endpoint-canceled',
  'update endpoint_changes set canceled = canceled + $2 where endpoint_id = $1',
);
const appliedStatement = statement('endpoint-change-applied', 'delete from endpoint_changes where endpoint_id = $1');

interface Switched {
  readonly active: boolean;
  readonly role: Role;
}

interface Change {
  readonly endpoint_id: string;
  readonly account_id: string;
  readonly url: string | null;
  /** Deliveries that were canceled or dropped by it so far; of those that were dropped, no test sends. */
  readonly canceled: number;
  /** Up to these ids deliveries are held first, then dropped, and at last dropped unless they are of orders. */
  readonly hold_until: string | null;
  readonly discard_until: string | null;
  readonly others_until: string | null;
  /** Up to this id the deliveries for `others_until` are done. */
  readonly others_after: string;
}

export interface ChangeStorage {
  readonly database: Database;
  readonly clock: Clock;
  readonly partitions: Partitions;
  /** Deliveries changed in one transaction. */
  readonly changeBatchMax: number;
}

/** What a batch did; null when nothing is left to do for the endpoint. */
export type Applied = 'held' | 'discarded' | 'canceled' | null;

/**
 * Applies the change of an endpoint to a batch of the deliveries that wait for it: it was switched or removed, or what
 * is held for it is to be dropped. Deliveries are held if the endpoint is off, and canceled if it is removed or is an
 * automation; the last batch records in Recent activity that it was removed, or what was dropped. What is held is sent by a recovery
 * (repair/held-recovery.ts).
 */
export async function applyBatch(storage: ChangeStorage, endpointId: string): Promise<Applied> {
  const applied = await finishDeliveries(storage, () =>
    storage.database.transaction((client) => applyBatchWith(client, storage, endpointId)),
  );
  if (applied === undefined) return null;
  endpointChangeApplied.announce(() => ({ endpointId, isComplete: applied === null }));
  return applied;
}

/** @returns undefined when there is no change to apply */
async function applyBatchWith(
  client: Client,
  storage: ChangeStorage,
  endpointId: string,
): Promise<Applied | undefined> {
  await client.query(inIndexOrder());
  const { rows: endpoints } = await client.query(endpointStatement([endpointId]));
  const [change] = (await client.query(changeStatement([endpointId]))).rows;
  if (change === undefined) return undefined;
  const [endpoint] = endpoints;
  const run = batches(client, storage, change);
  const batch = endpoint === undefined ? await cancelBatch(run) : await applyTo(run, change, endpoint);
  if (batch.count > 0) {
    if (batch.as === 'canceled') await client.query(countStatement([endpointId, batch.count]));
    return batch.as;
  }
  await client.query(appliedStatement([endpointId]));
  if (endpoint === undefined) await insertNotice(client, storage, change, endpointRemovedText);
  else if (change.canceled > 0 && kindOf(endpoint.role).recordsWhatIsDropped)
    await insertNotice(client, storage, change, heldDroppedText);
  return null;
}

/** Runs a statement for the oldest deliveries between two ids, and returns how many rows it changed. */
type Run = (query: ReturnType<typeof statement>, until: string, after?: string) => Promise<number>;

function batches(client: Client, { clock, changeBatchMax }: ChangeStorage, change: Change): Run {
  const now = clock.now();
  return async (query, until, after = '') => {
    const values = [change.endpoint_id, change.account_id, changeBatchMax, until, after];
    return (await client.query(query(query === holdStatement ? values : [...values, now]))).rowCount ?? 0;
  };
}

interface Batch {
  readonly as: 'held' | 'discarded' | 'canceled';
  /** How many rows it changed, 1 for a batch that was dropped, which its statement counts; 0 when nothing was left. */
  readonly count: number;
}

async function cancelBatch(run: Run): Promise<Batch> {
  const pending = await run(cancelPendingStatement, afterAllIdsAndSuffixes);
  return { as: 'canceled', count: pending > 0 ? pending : await run(cancelHeldStatement, afterAllIdsAndSuffixes) };
}

async function applyTo(run: Run, change: Change, { active, role }: Switched): Promise<Batch> {
  const { hold_until: holdUntil, discard_until: discardUntil, others_until: othersUntil } = change;
  const held = holdUntil === null ? 0 : await run(holdStatement, holdUntil);
  if (held > 0) return { as: 'held', count: held };
  const dropped = discardUntil === null ? 0 : await run(discardStatement, discardUntil);
  if (dropped > 0) return { as: 'discarded', count: dropped };
  const others = othersUntil === null ? 0 : await run(discardOthersStatement, othersUntil, change.others_after);
  if (others > 0) return { as: 'discarded', count: others };
  if (active) return { as: 'held', count: 0 };
  const waiting = await run(holdStatement, afterAllIdsAndSuffixes);
  if (waiting > 0 || kindOf(role).whileOff === 'held') return { as: 'held', count: waiting };
  return { as: 'discarded', count: await run(discardStatement, afterAllIdsAndSuffixes) };
}

async function insertNotice(
  client: Client,
  { clock, partitions }: ChangeStorage,
  change: Change,
  text: (url: string, canceled: number) => string,
): Promise<void> {
  const { account_id: accountId, endpoint_id: endpointId, url, canceled } = change;
  if (url === null) return;
  const notice = newNotice(clock, { accountId, summary: text(url, canceled), url, endpointId });
  await insertNotices(client, partitions, [notice]);
}
