import { newId } from '@app/contracts/ids';
import type { WebhookEventName } from '@app/contracts/webhooks';
import type { OnCommit } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import type { Delivery, Lease } from '../deliveries/delivery.types.ts';
import type { Dispatcher, Share } from '../deliveries/dispatcher.ts';

/** An event as receivers get it. */
export interface OutgoingEvent {
  readonly id: string;
  readonly accountId: string;
  readonly name: WebhookEventName;
  readonly orderId: string | null;
  readonly test: boolean;
  /** Built once; signed and sent byte for byte on every try. */
  readonly body: string;
  readonly traceparent: string | null;
  readonly occurredAt: string;
}

export interface StoreDeps {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
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

/** Shared locks: an endpoint that is being switched off or removed meanwhile finds these deliveries, or is found off. */
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

interface GrowingShare extends Share {
  readonly leased: Delivery[];
  overflow: boolean;
}

/**
 * Stores a batch of events and their deliveries, in two statements whatever its size, and hands the deliveries to the
 * dispatcher once they are committed. Events of accounts without an endpoint that wants them are not kept.
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
  onCommit(() => deps.dispatcher.accept(lease, [...plan.shares.values()]));
}

async function endpointsOf(client: Client, events: readonly OutgoingEvent[]): Promise<Map<string, EndpointRow[]>> {
  const accountIds = [...new Set(events.map((event) => event.accountId))];
  const { rows } = await client.query<EndpointRow>(endpointsStatement([accountIds]));
  return Map.groupBy(rows, (row) => row.account_id);
}

function planDeliveries(
  dispatcher: Dispatcher,
  events: readonly OutgoingEvent[],
  endpoints: ReadonlyMap<string, readonly EndpointRow[]>,
  lease: Lease,
  nowMs: number,
): { events: OutgoingEvent[]; rows: DeliveryRow[]; shares: Map<string, GrowingShare> } {
  const plan = { events: [] as OutgoingEvent[], rows: [] as DeliveryRow[], shares: new Map<string, GrowingShare>() };
  for (const event of events) {
    const wanting = (endpoints.get(event.accountId) ?? []).filter((endpoint) => wants(endpoint, event.name));
    if (wanting.length > 0) plan.events.push(event);
    for (const endpoint of wanting) {
      const id = newId('delivery', nowMs);
      const status = endpoint.active ? takeRoom(dispatcher, plan.shares, endpoint, event, id, lease) : 'held';
      plan.rows.push({ id, event_id: event.id, endpoint_id: endpoint.id, account_id: event.accountId, status });
    }
  }
  return plan;
}

const wants = (endpoint: EndpointRow, name: string): boolean =>
  endpoint.events === null || endpoint.events.includes(name);

/** Sent by this process at once while it has room for the endpoint; then it waits its turn in the database. */
function takeRoom(
  dispatcher: Dispatcher,
  shares: Map<string, GrowingShare>,
  endpoint: EndpointRow,
  event: OutgoingEvent,
  id: string,
  lease: Lease,
): 'pending' | 'sending' {
  let share = shares.get(endpoint.id);
  if (share === undefined) {
    const { id: endpointId, version, url, secret } = endpoint;
    share = { destination: { endpointId, version, url, secret }, leased: [], overflow: false };
    shares.set(endpoint.id, share);
  }
  if (share.overflow || share.leased.length >= dispatcher.room(endpoint.id)) {
    share.overflow = true;
    return 'pending';
  }
  share.leased.push({
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
