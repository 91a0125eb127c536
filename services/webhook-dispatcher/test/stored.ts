import { newId } from '@app/contracts/ids';
import type { Harness } from './harness.ts';
import { allDeliveries } from './orders.ts';

export type Finished = 'delivered' | 'failed' | 'canceled' | 'filtered';

interface Storing {
  readonly endpointId: string | null;
  readonly status?: Finished;
  readonly event?: string;
}

/** Of one statement: 20,000 would take a slow machine longer than a statement may. */
const portion = 5_000;

/**
 * Stores events of an account with their bodies, as the service does, and a finished delivery of each for an endpoint, or
 * none where it says null. Returns the ids of the events, oldest first.
 */
export async function addStored(
  harness: Harness,
  accountId: string,
  deliveries: readonly Storing[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < deliveries.length; n += portion)
    ids.push(...(await addPortion(harness, accountId, deliveries.slice(n, n + portion))));
  return ids;
}

async function addPortion(harness: Harness, accountId: string, deliveries: readonly Storing[]): Promise<string[]> {
  const nowMs = harness.clock.nowMs();
  const rows = deliveries.map(({ endpointId, status = 'failed', event = 'order.paid' }, position) => ({
    id: newId('event', nowMs),
    delivery_id: endpointId && newId('delivery', nowMs),
    endpoint_id: endpointId,
    position: position + 1,
    name: event,
    status,
    reason:
      status === 'delivered'
        ? null
        : status === 'failed'
          ? 'attempts_used'
          : status === 'filtered'
            ? status
            : 'removed',
    attempts: status === 'failed' ? 12 : status === 'delivered' ? 1 : 0,
    body: JSON.stringify({ event, position }),
  }));
  await harness.partitions.cover(rows.flatMap(({ id, delivery_id }) => (delivery_id ? [id, delivery_id] : [id])));
  await harness.query(
    `with stored as (
       select * from json_to_recordset($2::json) as s (
         id text, delivery_id text, endpoint_id text, position int, name text, status text, reason text, attempts int, body text)
     ), log as (
       insert into account_logs as l (account_id, last_sequence) select $1, count(*) from stored
       on conflict (account_id) do update set last_sequence = l.last_sequence + excluded.last_sequence
       returning last_sequence
     ), logged as (
       insert into events (id, account_id, sequence, name, test, occurred_at, stored_at, delivery_ids, endpoint_ids)
       select id, $1, last_sequence - (select count(*) from stored) + position, name, false, $3, $3,
         array_remove(array[delivery_id], null), array_remove(array[endpoint_id], null) from stored, log
     ), kept as (
       insert into event_bodies (event_id, account_id, body) select id, $1, body from stored
     )
     insert into finished_deliveries
       (id, account_id, event_id, endpoint_id, event_name, test, status, reason, attempts, created_at, finished_at)
     select delivery_id, $1, id, endpoint_id, name, false, status, reason, attempts, $3, $3 from stored
     where delivery_id is not null`,
    [accountId, JSON.stringify(rows), harness.clock.now()],
  );
  return rows.map(({ id }) => id);
}

export interface StoredDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly priority: number | null;
  readonly reason: string | null;
}

/** The account's deliveries, whichever table they are in, oldest first. */
export const deliveriesOf = (harness: Harness, accountId: string): Promise<StoredDelivery[]> =>
  harness.query<StoredDelivery>(
    `select id, event_id, status, attempts, priority, reason from ${allDeliveries} where account_id = $1 order by id`,
    [accountId],
  );
