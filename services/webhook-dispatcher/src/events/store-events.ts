import { newId } from '@app/contracts/ids';
import type { WebhookEventName } from '@app/contracts/webhooks';
import type { OnCommit } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import type { Delivery, EndpointBatch, Lease } from '../deliveries/delivery.types.ts';

/** An event in the form that receivers get. */
export interface OutgoingEvent {
  readonly id: string;
  readonly accountId: string;
  readonly name: WebhookEventName;
  readonly orderId: string | null;
  readonly test: boolean;
  /** Built once: every try signs and sends the same bytes. */
  readonly body: string;
  readonly traceparent: string | null;
  readonly occurredAt: string;
}

/** Who sends the stored deliveries, as far as storing them is concerned. */
export interface DeliverySender {
  newLease(): Lease;
  /** How many new deliveries of the endpoint it can send soon. */
  freeCapacityOf(endpointId: string): number;
  /** Called before deliveries are stored under the lease. */
  expect(lease: Lease): void;
  /** Called once they are committed. */
  accept(lease: Lease, batches: readonly EndpointBatch[]): void;
}

export interface StoreDeps {
  readonly clock: Clock;
  readonly dispatcher: DeliverySender;
}

interface EndpointRow {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  readonly secret: string;
  readonly version: number;
  readonly events: string[] | null;
  readonly active: boolean;
}

/**
 * Shared locks order this transaction and a change of the endpoint: switching it off or removing it either finds these
 * deliveries, or happens first and is seen here.
 */
const endpointsStatement = statement(
  'endpoints-of-accounts',
  `select id, account_id, url, secret, version, events, active from endpoints
   where account_id = any($1::text[]) for share`,
);

const insertStatement = statement(
  'events-insert',
  `with stored as (
     insert into events (id, account_id, name, order_id, test, body, traceparent, occurred_at)
     select id, "accountId", name, "orderId", test, body, traceparent, "occurredAt"
     from json_to_recordset($1::json) as e (
       id text, "accountId" text, name text, "orderId" text, test boolean, body text, traceparent text,
       "occurredAt" timestamptz)
   )
   insert into deliveries (id, event_id, endpoint_id, account_id, status, next_attempt_at, created_at,
     lease_token, lease_owner, lease_until)
   select id, event_id, endpoint_id, account_id, status, $3, $3,
     case when status = 'sending' then $4 end,
     case when status = 'sending' then $5::int end,
     case when status = 'sending' then clock_timestamp() + make_interval(secs => $6) end
   from json_to_recordset($2::json) as d (id text, event_id text, endpoint_id text, account_id text, status text)`,
);

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly account_id: string;
  readonly status: 'pending' | 'sending' | 'held';
}

interface GrowingBatch extends EndpointBatch {
  readonly deliveries: Delivery[];
  overflow: boolean;
}

/**
 * Stores a batch of events and their deliveries in two statements, whatever its size, and offers the deliveries to the
 * dispatcher once they are committed. An event that no endpoint of its account takes is not stored.
 */
export async function storeEvents(
  deps: StoreDeps,
  events: readonly OutgoingEvent[],
  client: Client,
  onCommit: OnCommit,
): Promise<void> {
  const endpoints = await endpointsOf(client, events);
  if (endpoints.size === 0) return;
  const now = deps.clock.now();
  const lease = deps.dispatcher.newLease();
  const plan = planDeliveries(deps.dispatcher, events, endpoints, lease, now.getTime());
  if (plan.rows.length === 0) return;
  const values = [JSON.stringify(plan.events), JSON.stringify(plan.rows), now, lease.token, lease.owner, lease.seconds];
  deps.dispatcher.expect(lease);
  await client.query(insertStatement(values));
  onCommit(() => deps.dispatcher.accept(lease, [...plan.batches.values()]));
}

async function endpointsOf(client: Client, events: readonly OutgoingEvent[]): Promise<Map<string, EndpointRow[]>> {
  const accountIds = [...new Set(events.map((event) => event.accountId))];
  const { rows } = await client.query<EndpointRow>(endpointsStatement([accountIds]));
  return Map.groupBy(rows, (row) => row.account_id);
}

function planDeliveries(
  dispatcher: DeliverySender,
  events: readonly OutgoingEvent[],
  endpoints: ReadonlyMap<string, readonly EndpointRow[]>,
  lease: Lease,
  nowMs: number,
): { events: OutgoingEvent[]; rows: DeliveryRow[]; batches: Map<string, GrowingBatch> } {
  const plan = { events: [] as OutgoingEvent[], rows: [] as DeliveryRow[], batches: new Map<string, GrowingBatch>() };
  for (const event of events) {
    const takers = (endpoints.get(event.accountId) ?? []).filter((endpoint) => takes(endpoint, event.name));
    if (takers.length > 0) plan.events.push(event);
    for (const endpoint of takers) {
      const id = newId('delivery', nowMs);
      const status = endpoint.active ? addToBatch(dispatcher, plan.batches, endpoint, event, id, lease) : 'held';
      plan.rows.push({ id, event_id: event.id, endpoint_id: endpoint.id, account_id: event.accountId, status });
    }
  }
  return plan;
}

const takes = (endpoint: EndpointRow, name: string): boolean =>
  endpoint.events === null || endpoint.events.includes(name);

/**
 * While this process has capacity for the endpoint, it takes the delivery at once (`sending`). Otherwise the delivery
 * waits in the database (`pending`).
 */
function addToBatch(
  dispatcher: DeliverySender,
  batches: Map<string, GrowingBatch>,
  endpoint: EndpointRow,
  event: OutgoingEvent,
  id: string,
  lease: Lease,
): 'pending' | 'sending' {
  let batch = batches.get(endpoint.id);
  if (batch === undefined) {
    const { id: endpointId, version, url, secret } = endpoint;
    batch = { destination: { endpointId, version, url, secret }, deliveries: [], overflow: false };
    batches.set(endpoint.id, batch);
  }
  if (batch.overflow || batch.deliveries.length >= dispatcher.freeCapacityOf(endpoint.id)) {
    batch.overflow = true;
    return 'pending';
  }
  batch.deliveries.push({
    id,
    accountId: event.accountId,
    eventId: event.id,
    eventName: event.name,
    body: event.body,
    test: event.test,
    traceparent: event.traceparent,
    number: 1,
    leaseToken: lease.token,
    leaseEndsMs: lease.endsMs,
  });
  return 'sending';
}
