import type { EventData } from '@app/contracts/define';
import { holdSettled, paymentCompleted } from '@app/contracts/payments';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { type CheckoutRow, checkoutColumns, checkoutsAndSales } from './checkout-row.ts';
import { recordOutcomes } from './record-outcome.ts';
import { recordSettlement } from './record-settlement.ts';

/** What billing tells of payments: whoever died between its reply and the record finishes from this. */
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

type Completed = ReceivedEvent<EventData<typeof paymentCompleted>>;

/**
 * What was recorded already, mostly from billing's reply. It is never undone, so reading it takes no lock: an event that
 * tells nothing new costs its part of this one statement.
 */
const knownStatement = statement(
  'checkouts-recorded-tries',
  `select w.place from unnest($1::text[], $2::text[], $3::integer[], $4::boolean[])
     with ordinality as w(account_id, order_id, try_no, declined, place)
   cross join lateral (
     select from checkouts as c
     join checkout_tries as t on t.account_id = c.account_id and t.checkout_id = c.id and t.try_no = w.try_no
     where c.account_id = w.account_id and c.order_id = w.order_id and case when w.declined then t.reason is not null
       else c.status in ('authorized', 'paid', 'refunded') or c.upsell_status is not null end
     limit 1
   ) as known`,
);

/**
 * The checkouts of the tries, locked. All of a batch are locked at once and in one order, before any discount: no two
 * batches, and no buyer's click, wait for each other in a circle.
 */
const triesStatement = statement(
  'checkouts-of-tries',
  `select ${checkoutColumns}, w.place from unnest($1::text[], $2::text[], $3::integer[])
     with ordinality as w(account_id, order_id, try_no, place)
   join checkouts as c on c.account_id = w.account_id and c.order_id = w.order_id
   join checkout_tries as t on t.account_id = c.account_id and t.checkout_id = c.id and t.try_no = w.try_no
   order by c.id for update of c`,
);

/** @returns how many checkouts it moved on */
async function recordCompleted(client: Client, all: readonly Completed[]): Promise<number> {
  const declined = all.map(({ data }) => data.status === 'declined');
  const { rows: known } = await client.query<Placed>(knownStatement([...triesOf(all), declined]));
  const places = new Set(known.map(({ place }) => place));
  const events = all.filter((_, index) => !places.has(index + 1));
  if (events.length === 0) return 0;
  const { rows } = await client.query<CheckoutRow & Placed>(triesStatement(triesOf(events)));
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  const ends = events.flatMap((event, index) => {
    const row = checkoutOf(event, byPlace.get(index + 1));
    const source = { requestId: event.requestId, nowMs: Date.parse(event.data.completedAt) };
    return row === undefined ? [] : [{ row, outcome: event.data, source }];
  });
  const recorded = await recordOutcomes(client, ends);
  return recorded.filter((row) => row !== undefined).length;
}

interface Placed {
  readonly place: number;
}

const triesOf = (events: readonly Completed[]) => [
  events.map(({ accountId }) => accountId),
  events.map(({ data }) => data.orderId),
  events.map(({ data }) => data.tryNo),
];

/** A decline of a checkout that is deleted by now concerns nobody; money without a sale must be looked at. */
function checkoutOf({ data }: Completed, row: CheckoutRow | undefined): CheckoutRow | undefined {
  if (row === undefined && data.status !== 'declined')
    throw new Error(`the order ${data.orderId} was paid by try ${data.tryNo}, and there is no checkout for it`);
  return row;
}

type Settled = ReceivedEvent<EventData<typeof holdSettled>>;

const ordersStatement = statement(
  'checkouts-of-orders',
  `select ${checkoutColumns}, w.place from unnest($1::text[], $2::text[])
     with ordinality as w(account_id, order_id, place)
   join ${checkoutsAndSales} on c.account_id = w.account_id and c.order_id = w.order_id
   order by c.id for update of c`,
);

/** @returns how many checkouts it moved on */
async function recordSettled(client: Client, events: readonly Settled[]): Promise<number> {
  const values = [events.map(({ accountId }) => accountId), events.map(({ data }) => data.orderId)];
  const { rows } = await client.query<CheckoutRow & { place: number }>(ordersStatement(values));
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  let recorded = 0;
  for (const [index, { data, requestId }] of events.entries()) {
    const row = byPlace.get(index + 1);
    if (row?.sale == null)
      throw new Error(`the hold of the order ${data.orderId} was settled, and there is no checkout`);
    const source = { requestId, nowMs: Date.parse(data.settledAt) };
    // Kinds of events come in no order: this one may overtake the one that the card was held.
    const held = { status: 'held', tryNo: row.try_no, amountCents: row.sale.totalCents } as const;
    const [authorized = row] = await recordOutcomes(client, [{ row, outcome: held, source }]);
    if ((await recordSettlement(client, authorized, data, source)) !== undefined) recorded += 1;
  }
  return recorded;
}
