import { emailKey } from '@app/contracts/email-key';
import { newId } from '@app/contracts/ids';
import type { OnCommit } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type ColumnsOf, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import type { DeliverySender } from '../deliveries/delivery-sender.ts';
import { destinationColumns, destinationTypes } from '../deliveries/destination.ts';
import { reasonSql } from '../deliveries/end-reasons.rules.ts';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import { isUrl } from '../destinations/destination-kind-sql.ts';
import { firstEndpointLock } from '../endpoints/first-endpoint-lock.ts';
import { eventsStored, type StoredEvent } from '../points/points.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import {
  DeliveryPlan,
  type EndpointRow,
  endpointsFor,
  type NewDeliveryRow,
  type PlannedEndpoint,
} from './plan-deliveries.ts';

/** Writes, in the transaction of accounts' events, the built-in automations that are not there yet. */
export type WriteBuiltIns = (client: Client, accountIds: readonly string[], onCommit: OnCommit) => Promise<void>;

export interface StoreDeps {
  readonly clock: Clock;
  readonly dispatcher: DeliverySender;
  readonly partitions: Partitions;
}

export interface StoreEventsDeps extends StoreDeps {
  readonly writeBuiltIns: WriteBuiltIns;
  /** Whether this deployment has a mail server: without one no email waits for it. */
  readonly emailsAvailable: boolean;
}

const endpointTypes: ColumnsOf<EndpointRow> = {
  id: 'text',
  account_id: 'text',
  events: 'text[]',
  product_id: 'text',
  built_in: 'text',
  active: 'bool',
  ...destinationTypes,
};

/**
 * Shared locks order this transaction and a change of the endpoint: switching it off or removing it either finds these
 * deliveries, or happens first and is seen here.
 */
const endpointsStatement = statement<EndpointRow>(
  'endpoints-of-accounts',
  `select id, account_id, events, product_id, built_in, active, ${destinationColumns('e')} from endpoints e
   where account_id = any(array(select unnest($1::text[])))
     and (${isUrl()} or (active and events && $2::text[] and (channel = 'http' or $3)))
   order by id for share`,
  endpointTypes,
);
const chosenEndpointsStatement = statement<EndpointRow>(
  'endpoints-chosen',
  `select id, account_id, events, product_id, built_in, active, ${destinationColumns('e')} from endpoints e
   where account_id = $1 and id = any($2::text[]) order by id for share`,
  endpointTypes,
);

/** As connecting a URL does: of two first events, or a first event and a first URL, the second waits for the first. */
const firstEventLocks = statement<{ pg_advisory_xact_lock: unknown }>(
  'first-event-locks',
  `select ${firstEndpointLock('account_id')}
   from (select account_id from unnest($1::text[]) as a (account_id) order by account_id) sorted`,
  { pg_advisory_xact_lock: 'void' },
);
const withoutUrlStatement = statement(
  'endpoint-without-url',
  `insert into endpoints (id, account_id, role, active, version, created_at, updated_at)
   select id, account_id, 'primary', false, 1, $3, $3 from unnest($1::text[], $2::text[]) as a (id, account_id)
   where not exists (
     select from endpoints e where e.account_id = a.account_id and ${isUrl('e')})`,
);

const eventColumns = {
  id: 'text',
  account_id: 'text',
  events_after: 'int',
  name: 'text',
  order_id: 'text',
  email: 'text',
  email_key: 'text',
  product_id: 'text',
  test: 'boolean',
  charged: 'boolean',
  occurred_at: 'timestamptz',
  body: 'text',
  traceparent: 'text',
  delivery_ids: 'text',
  endpoint_ids: 'text',
} as const;
const deliveryColumns = {
  id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  account_id: 'text',
  event_name: 'text',
  test: 'boolean',
  priority: 'smallint',
  status: 'text',
} as const;

const firstEventColumn = 5;
const firstDeliveryColumn = firstEventColumn + Object.keys(eventColumns).length;

/**
 * `events_after` is how many events of the account follow in the batch; null for an event that has no number in the account’s
 * log. The row of `account_logs` stays locked until the commit, so the numbers are in the order of the commits.
 */
const insertStatement = statement(
  'events-insert',
  `with event as (
     select * from ${tableOf(eventColumns, firstEventColumn)}
   ), log as (
     insert into account_logs as l (account_id, last_sequence)
     select account_id, count(*) from event where events_after is not null group by account_id order by account_id
     on conflict (account_id) do update set last_sequence = l.last_sequence + excluded.last_sequence
     returning account_id, last_sequence
   ), stored as (
     insert into events (id, account_id, sequence, name, order_id, email, email_key, product_id, test, charged, occurred_at, stored_at,
       delivery_ids, endpoint_ids)
     select e.id, e.account_id, l.last_sequence - e.events_after, e.name, e.order_id, e.email, e.email_key, e.product_id, e.test,
       e.charged, e.occurred_at, $1, e.delivery_ids::text[], e.endpoint_ids::text[]
     from event e left join log l on l.account_id = e.account_id
   ), bodies as (
     insert into event_bodies (event_id, account_id, body, traceparent)
     select id, account_id, body, traceparent from event
   ), delivery as (
     select * from ${tableOf(deliveryColumns, firstDeliveryColumn)}
   ), filtered as (
     insert into finished_deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, reason, attempts,
       created_at, finished_at)
     select id, event_id, endpoint_id, account_id, event_name, test, status, ${reasonSql('filtered')}, 0, $1, $1
     from delivery where status = 'filtered'
   )
   insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, priority, status, next_attempt_at,
     created_at, lease_token, lease_owner, lease_until)
   select id, event_id, endpoint_id, account_id, event_name, test, priority, status, $1, $1,
     case when status = 'sending' then $2 end,
     case when status = 'sending' then $3::int end,
     case when status = 'sending' then clock_timestamp() + make_interval(secs => $4) end
   from delivery where status <> 'filtered'`,
);

/**
 * Stores a batch of events, each with its number in the account's log, and their deliveries, to URLs and to automations alike, in two
 * statements, whatever its size, and offers the deliveries to the dispatcher (`queueCommitted`) once they are committed. An account's
 * first event takes three more, which make the endpoint that its first URL will take over.
 */
export async function storeEvents(
  deps: StoreEventsDeps,
  events: readonly OutgoingEvent[],
  client: Client,
  onCommit: OnCommit,
): Promise<void> {
  const accountIds = [...new Set(events.map((event) => event.accountId))];
  await deps.writeBuiltIns(client, accountIds, onCommit);
  const names = [...new Set(events.map((event) => event.name))];
  const endpoints = await endpointsOrPlaceholder(deps, client, accountIds, names);
  const plan = newPlan(deps);
  const left = new Map<string, number>();
  for (const { accountId } of events) left.set(accountId, (left.get(accountId) ?? 0) + 1);
  const planned = events.map((event) => {
    const eventsAfter = (left.get(event.accountId) as number) - 1;
    left.set(event.accountId, eventsAfter);
    const destinations = endpointsFor(event, endpoints.get(event.accountId) ?? []);
    return { event, eventsAfter, rows: destinations.map((endpoint) => plan.add(event, endpoint)) };
  });
  await insert(deps, client, onCommit, { planned, plan });
}

/**
 * Stores an event that did not happen in the account: a test, or a notice by email. It has no number in the account's
 * log, and a delivery to each given endpoint, whatever its filter; `held` if the endpoint is off.
 * @returns the ids of the deliveries, in the order of the endpoints; an endpoint of another account has none
 */
export async function storeEventFor(
  deps: StoreDeps,
  event: OutgoingEvent,
  endpointIds: readonly string[],
  client: Client,
  onCommit: OnCommit,
): Promise<string[]> {
  const { rows: endpoints } = await client.query(chosenEndpointsStatement([event.accountId, endpointIds]));
  const plan = newPlan(deps);
  const rows = endpointIds
    .flatMap((id) => endpoints.filter((endpoint) => endpoint.id === id))
    .map((endpoint) => plan.add(event, withKind(endpoint), { requested: true }));
  await insert(deps, client, onCommit, { planned: [{ event, eventsAfter: null, rows }], plan });
  return rows.map((row) => row.id);
}

const withKind = (row: EndpointRow): PlannedEndpoint => ({ ...row, kind: kindOf(row.role) });

const newPlan = ({ dispatcher, clock }: StoreDeps): DeliveryPlan =>
  new DeliveryPlan(dispatcher, dispatcher.newLease(), clock.nowMs());

interface Planned {
  readonly event: OutgoingEvent;
  readonly eventsAfter: number | null;
  readonly rows: readonly NewDeliveryRow[];
}

type EventRow = Readonly<Record<keyof typeof eventColumns, unknown>> & { readonly id: string };

function eventRow({ event, eventsAfter, rows }: Planned): EventRow {
  return {
    id: event.id,
    account_id: event.accountId,
    events_after: eventsAfter,
    name: event.name,
    order_id: event.orderId,
    email: event.email,
    email_key: event.email === null ? null : emailKey(event.email),
    product_id: event.productId,
    test: event.test,
    charged: event.charged ?? false,
    occurred_at: event.occurredAt,
    body: event.body,
    traceparent: event.traceparent,
    delivery_ids: arrayOfIds(rows.map((row) => row.id)),
    endpoint_ids: arrayOfIds(rows.map((row) => row.endpoint_id)),
  };
}

const announcedEvent = ({ event, rows }: Planned): StoredEvent => ({
  id: event.id,
  accountId: event.accountId,
  deliveries: rows.map((row) => ({ id: row.id, endpointId: row.endpoint_id, status: row.status })),
});

/** An array as text, because an array of arrays would need them to be equally long. Ids have nothing to quote. */
const arrayOfIds = (ids: readonly string[]): string => `{${ids.join(',')}}`;

async function insert(
  { clock, dispatcher, partitions }: StoreDeps,
  client: Client,
  onCommit: OnCommit,
  { planned, plan }: { planned: readonly Planned[]; plan: DeliveryPlan },
): Promise<void> {
  const events = planned.map(eventRow);
  await partitions.cover([...events, ...plan.rows].map(({ id }) => id));
  const { lease } = plan;
  const values = [
    ...[clock.now(), lease.token, lease.owner, lease.seconds],
    ...columnsOf(events, eventColumns),
    ...columnsOf(plan.rows, deliveryColumns),
  ];
  dispatcher.registerLease(lease);
  try {
    await client.query(insertStatement(values));
  } catch (err) {
    partitions.forgetAfter(err);
    throw err;
  }
  onCommit(() => {
    dispatcher.queueCommitted(lease, [...plan.batches.values()]);
    eventsStored.announce(() => ({ events: planned.map(announcedEvent) }));
  });
}

/**
 * Returns the endpoints of the accounts, without the automations that events of these names do not start. An account that
 * has none gets its endpoint without a URL first.
 */
async function endpointsOrPlaceholder(
  { clock, emailsAvailable }: StoreEventsDeps,
  client: Client,
  accountIds: readonly string[],
  names: readonly string[],
): Promise<Map<string, PlannedEndpoint[]>> {
  const read = async () => {
    const { rows } = await client.query(endpointsStatement([accountIds, names, emailsAvailable]));
    return Map.groupBy(rows.map(withKind), (row) => row.account_id);
  };
  const found = await read();
  const isNew = (id: string) => !found.get(id)?.some(({ kind }) => !kind.isAutomation);
  const newAccounts = accountIds.filter(isNew);
  if (newAccounts.length === 0) return found;
  await client.query(firstEventLocks([newAccounts]));
  const ids = newAccounts.map(() => newId('webhookEndpoint', clock.nowMs()));
  await client.query(withoutUrlStatement([ids, newAccounts, clock.now()]));
  return await read();
}
