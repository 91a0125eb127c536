import type { EventData } from '@app/contracts/define';
import { holdSettled, paymentCompleted } from '@app/contracts/payments';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { type CheckoutRow, checkoutColumns, checkoutFields, checkoutsAndSales, checkoutTypes } from './checkout-row.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { recordSettlement } from './record-settlement.ts';

/** Billing's events of payments: what a process that died between billing's reply and the record left open ends by these. */
export function checkoutEventHandlers(wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(paymentCompleted, async (events, client, onCommit) => {
      if ((await recordCompleted(client, events)) > 0) onCommit(wakeRelay);
    }),
    onEvent(holdSettled, async (events, client, onCommit) => {
      if ((await recordSettled(client, events)) > 0) onCommit(wakeRelay);
    }),
  ];
}

/** What billing says of an order, by an event or by a request. */
type Said<Data> = Pick<ReceivedEvent<Data>, 'accountId' | 'requestId' | 'data'>;
type Completed = Said<EventData<typeof paymentCompleted>>;

/**
 * What was recorded already, mostly from billing's reply. It is never undone, so reading it takes no lock: an event that
 * reports nothing new costs its part of this one statement. Each event is two look-ups in indexes, in this order: of a join
 * the planner may think that few checkouts have the attempt, and read all of them for each event.
 */
const knownStatement = statement<Positioned>(
  'checkouts-recorded-attempts',
  `select w.position from unnest($1::text[], $2::text[], $3::integer[], $4::boolean[], $2::text[])
     with ordinality as w(account_id, order_id, attempt_no, declined, same_order_id, position)
   cross join lateral (
     select id, status in ('authorized', 'paid', 'refunded') or upsell_status is not null as ordered from checkouts
     where account_id = w.account_id and order_id = w.order_id limit 1
   ) as c
   cross join lateral (
     select reason from checkout_attempts
     where account_id = w.account_id and checkout_id = c.id and attempt_no = w.attempt_no limit 1
   ) as t
   where w.order_id = w.same_order_id and case when w.declined then t.reason is not null else c.ordered end`,
  { position: 'int8' },
);

/**
 * The checkouts of the attempts, locked. All of a batch are locked at once and in one order, before any discount: no two
 * batches, and no buyer's click, wait for each other in a circle.
 */
const attemptsStatement = statement<CheckoutRow & Positioned>(
  'checkouts-of-attempts',
  `with attempts as materialized (
     select account_id, attempt_no, position, (
       select id from checkouts where account_id = w.account_id and order_id = w.order_id) as checkout_id
     from unnest($1::text[], $2::text[], $3::integer[]) with ordinality as w(account_id, order_id, attempt_no, position)
   )
   select ${checkoutColumns}, w.position from (select * from attempts where checkout_id is not null order by checkout_id) as w
   cross join lateral (
     select ${checkoutFields} from checkouts where account_id = w.account_id and id = w.checkout_id for update
   ) as c
   cross join lateral (
     select sale, repeats_order, created_at, reason from checkout_attempts
     where account_id = w.account_id and checkout_id = w.checkout_id and attempt_no = w.attempt_no limit 1
   ) as t`,
  { ...checkoutTypes, position: 'int8' },
);

/** @returns how many checkouts it moved on */
export async function recordCompleted(client: Client, all: readonly Completed[]): Promise<number> {
  const declined = all.map(({ data }) => data.status === 'declined');
  const { rows: known } = await client.query(knownStatement([...attemptsOf(all), declined]));
  const positions = new Set(known.map(({ position }) => position));
  const events = all.filter((_, index) => !positions.has(index + 1));
  if (events.length === 0) return 0;
  const { rows } = await client.query(attemptsStatement(attemptsOf(events)));
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const ends = events.flatMap((event, index) => {
    const row = checkoutOf(event, byPosition.get(index + 1));
    const source = { requestId: event.requestId, nowMs: Date.parse(event.data.completedAt) };
    return row === undefined ? [] : [{ row, outcome: event.data, source }];
  });
  const recorded = await recordOutcomes(client, ends);
  return recorded.filter((row) => row !== undefined).length;
}

interface Positioned {
  readonly position: number;
}

const attemptsOf = (events: readonly Completed[]) => [
  events.map(({ accountId }) => accountId),
  events.map(({ data }) => data.orderId),
  events.map(({ data }) => data.attemptNo),
];

/** A decline of a checkout that is deleted by now needs nothing; money without a sale must be checked. */
function checkoutOf({ data }: Completed, row: CheckoutRow | undefined): CheckoutRow | undefined {
  if (row === undefined && data.status !== 'declined')
    throw new Error(`the order ${data.orderId} was paid by attempt ${data.attemptNo}, and there is no checkout for it`);
  return row;
}

type Settled = Said<EventData<typeof holdSettled>>;

const ordersStatement = statement<CheckoutRow & Positioned>(
  'checkouts-of-orders',
  `select ${checkoutColumns}, w.position from unnest($1::text[], $2::text[])
     with ordinality as w(account_id, order_id, position)
   join ${checkoutsAndSales} on c.account_id = w.account_id and c.order_id = w.order_id
   order by c.id for update of c`,
  { ...checkoutTypes, position: 'int8' },
);

/** @returns how many checkouts it moved on */
export async function recordSettled(client: Client, events: readonly Settled[]): Promise<number> {
  const values = [events.map(({ accountId }) => accountId), events.map(({ data }) => data.orderId)];
  const { rows } = await client.query(ordersStatement(values));
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  let recorded = 0;
  for (const [index, { data, requestId }] of events.entries()) {
    const row = byPosition.get(index + 1);
    if (row?.sale == null)
      throw new Error(`the hold of the order ${data.orderId} was settled, and there is no checkout`);
    const source = { requestId, nowMs: Date.parse(data.settledAt) };
    // Kinds of events come in no order: this one may overtake the one that the card was held.
    const { lastFour, wallet } = data;
    const card = { lastFour, wallet };
    const held = { status: 'held', attemptNo: row.attempt_no, amountCents: row.sale.totalCents, ...card } as const;
    const [authorized = row] = await recordOutcomes(client, [{ row, outcome: held, source }]);
    if ((await recordSettlement(client, authorized, data, source)) !== undefined) recorded += 1;
  }
  return recorded;
}
