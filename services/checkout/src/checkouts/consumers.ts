import type { EventData } from '@app/contracts/define';
import { holdSettled, paymentCompleted } from '@app/contracts/payments';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { type CheckoutRow, checkoutColumns, checkoutsAndSales } from './checkout-row.ts';
import { recordOutcome } from './record-outcome.ts';
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
async function recordCompleted(client: Client, events: readonly Completed[]): Promise<number> {
  const accounts = events.map(({ accountId }) => accountId);
  const orders = events.map(({ data }) => data.orderId);
  const tries = events.map(({ data }) => data.tryNo);
  const { rows } = await client.query<CheckoutRow & { place: number }>(triesStatement([accounts, orders, tries]));
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  const found = events.map((event, index) => ({ event, row: checkoutOf(event, byPlace.get(index + 1)) }));
  // Uses that are given back lock their discounts in one order too.
  const discount = ({ row }: (typeof found)[number]) => `${row?.account_id} ${row?.sale?.discount?.id}`;
  found.sort((one, other) => (discount(one) < discount(other) ? -1 : 1));
  let recorded = 0;
  for (const { event, row } of found) {
    if (row === undefined) continue;
    const { data, requestId } = event;
    const source = { requestId, nowMs: Date.parse(data.completedAt) };
    if ((await recordOutcome(client, row, data, source)) !== undefined) recorded += 1;
  }
  return recorded;
}

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
    const authorized = (await recordOutcome(client, row, held, source)) ?? row;
    if ((await recordSettlement(client, authorized, data, source)) !== undefined) recorded += 1;
  }
  return recorded;
}
