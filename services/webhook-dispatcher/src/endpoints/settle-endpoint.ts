import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { endpointRemovedText } from '../activity/activity.rules.ts';
import { insertNotices, newNotice } from '../activity/notices.ts';

/** Deliveries settled in one transaction, which takes about 20 ms. A change of the endpoint waits no longer than that. */
const batchMax = 1_000;

/** A shared lock: events for the endpoint may be stored meanwhile, but it may not be changed. */
const endpointStatement = statement('endpoint-to-settle', 'select active from endpoints where id = $1 for share');

/** Changes, too, lock the endpoint first and this row second, so that two transactions never wait for each other. */
const unsettledStatement = statement(
  'endpoint-unsettled',
  'select account_id, url, changed_at, canceled from unsettled_endpoints where endpoint_id = $1 for update',
);

const batchOf = (status: 'pending' | 'held') => `id = any (array(
  select id from deliveries where status = '${status}' and endpoint_id = $1 and account_id = $2
  order by id limit $3 for update))`;

/**
 * The planner's statistics do not know of a sudden backlog: it would expect a few rows, and read and sort the whole
 * backlog for every batch instead of following the index.
 */
const followIndex = 'set local enable_bitmapscan = off';

const holdStatement = statement('deliveries-hold', `update deliveries set status = 'held' where ${batchOf('pending')}`);
/** Released deliveries are due since they were made, so they are claimed oldest first however often the endpoint is switched. */
const releaseStatement = statement(
  'deliveries-release',
  `update deliveries set status = 'pending', due = true, next_attempt_at = least(created_at, $4) where ${batchOf('held')}`,
);
const cancelPendingStatement = statement(
  'deliveries-cancel-pending',
  `update deliveries set status = 'canceled' where ${batchOf('pending')}`,
);
const cancelHeldStatement = statement(
  'deliveries-cancel-held',
  `update deliveries set status = 'canceled' where ${batchOf('held')}`,
);
const countStatement = statement(
  'endpoint-canceled',
  'update unsettled_endpoints set canceled = canceled + $2 where endpoint_id = $1',
);
const settledStatement = statement('endpoint-settled', 'delete from unsettled_endpoints where endpoint_id = $1');

interface Unsettled {
  readonly account_id: string;
  readonly url: string;
  readonly changed_at: Date;
  readonly canceled: number;
}

/** What a batch did; null when nothing is left to do for the endpoint. */
export type Settled = 'held' | 'released' | 'canceled' | null;

/**
 * Settles one batch of the waiting deliveries of an endpoint that was switched or removed. Deliveries are held if the
 * endpoint is off now, released if it is on, and canceled if it is removed; the last batch records the removal in Recent
 * activity.
 */
export async function settleBatch(database: Database, clock: Clock, endpointId: string): Promise<Settled> {
  return await database.transaction(async (client) => {
    await client.query(followIndex);
    const { rows: endpoints } = await client.query<{ active: boolean }>(endpointStatement([endpointId]));
    const { rows } = await client.query<Unsettled>(unsettledStatement([endpointId]));
    const [unsettled] = rows;
    if (unsettled === undefined) return null;
    const { settled, count } = await settle(client, endpointId, unsettled, endpoints[0]);
    if (count > 0) {
      if (settled === 'canceled') await client.query(countStatement([endpointId, count]));
      return settled;
    }
    await client.query(settledStatement([endpointId]));
    if (settled === 'canceled') await insertRemovedNotice(client, clock, unsettled);
    return null;
  });
}

async function settle(
  client: Client,
  endpointId: string,
  unsettled: Unsettled,
  endpoint: { readonly active: boolean } | undefined,
): Promise<{ settled: 'held' | 'released' | 'canceled'; count: number }> {
  const values = [endpointId, unsettled.account_id, batchMax];
  const run = async (query: ReturnType<typeof statement>, more: unknown[] = []): Promise<number> =>
    (await client.query(query([...values, ...more]))).rowCount ?? 0;
  if (endpoint === undefined) {
    const pending = await run(cancelPendingStatement);
    return { settled: 'canceled', count: pending > 0 ? pending : await run(cancelHeldStatement) };
  }
  if (endpoint.active) return { settled: 'released', count: await run(releaseStatement, [unsettled.changed_at]) };
  return { settled: 'held', count: await run(holdStatement) };
}

async function insertRemovedNotice(client: Client, clock: Clock, unsettled: Unsettled): Promise<void> {
  const { account_id: accountId, url, canceled } = unsettled;
  const notice = newNotice(clock, { accountId, summary: endpointRemovedText(url, canceled), url });
  await client.query(insertNotices([JSON.stringify([notice])]));
}
