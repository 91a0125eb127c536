import type { EventData, EventEnvelope } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { type Database, statement } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';
import { startSubscriptions, startsSubscription } from '../subscriptions/start-subscriptions.ts';
import { askOrders, type Comparison } from './compare-page.ts';
import { writeDifferences } from './order-differences.ts';
import { readOrderPayments } from './order-payments.ts';

/** Dead letters are few: nothing finds them by account. Those of sales that have their subscription are left out. */
const deadLettersStatement = statement(
  'order-comparisons-dead-letters',
  `select payload from dead_letters
   where subject = $2 and payload::json ->> 'accountId' = $1 and payload::json -> 'data' ->> 'pricingType' = 'subscription'
     and not exists (select from subscriptions
       where account_id = $1 and order_id = payload::json -> 'data' ->> 'orderId')
   order by event_id limit 100`,
);

type Sale = EventEnvelope<EventData<typeof orderPaid>>;

/**
 * Makes subscriptions of paid orders whose event was given up on here: it has the card that the order came with, which
 * checkout does not keep. What still cannot be made differs, and is told.
 */
export async function startMissedSales(comparison: Comparison): Promise<void> {
  const { deps, run, quietSince } = comparison;
  const { accountId } = run;
  const sales = (await missedSales(deps.database, accountId)).filter(
    ({ data }) => startsSubscription(data) && !data.test,
  );
  if (sales.length === 0) return;
  const orderIds = sales.map(({ data }) => data.orderId);
  const paid = (await askOrders(comparison, { orderIds })).filter(({ status }) => status === 'paid');
  const own = await readOrderPayments(deps.database, accountId, orderIds, quietSince);
  const missing = own.filter(({ subscription }) => subscription === null).map(({ orderId }) => orderId);
  for (const sale of sales) {
    const { orderId } = sale.data;
    if (!missing.includes(orderId) || !paid.some((order) => order.orderId === orderId)) continue;
    const event = { accountId, requestId: null, traceparent: undefined, data: sale.data };
    try {
      await deps.database.transaction((client) => startSubscriptions(client, [event]));
      await writeDifferences(deps, accountId, [], [orderId]);
      deps.wakeRelay();
    } catch (err) {
      if (isOutage(err)) throw err;
      deps.logger.error({ err, accountId, orderId }, 'a sold subscription cannot be made');
      await writeDifferences(deps, accountId, [{ orderId, detail: notMadeText(orderId) }], []);
    }
  }
}

async function missedSales({ pool }: Database, accountId: string): Promise<Sale[]> {
  const { rows } = await pool.query<{ payload: string }>(deadLettersStatement([accountId, orderPaid.subject]));
  return rows.map(({ payload }) => JSON.parse(payload) as Sale);
}

const notMadeText = (orderId: string): string =>
  `Order ${orderId} is paid and sold a subscription, and the subscription could not be made. Ask whoever runs the platform to look at its dead letters.`;
