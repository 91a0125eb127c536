import type { EventData, EventEnvelope } from '@app/contracts/define';
import { comparedOrdersMax } from '@app/contracts/order-comparisons';
import { orderPaid } from '@app/contracts/orders';
import { type Database, statement } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';
import { accountOfLetter } from '../../db/migrations/0001-initial/runs.ts';
import { startSubscriptions, startsSubscription } from '../../subscriptions/start-subscriptions.ts';
import { type Comparison, fetchOrders } from './compare-page.ts';
import { writeDifferences } from './order-differences.ts';
import { readOrderPayments } from './order-payments.ts';

/** By an index: $1 account, $2 subject, $3 the last one of the page before. */
const deadLettersStatement = statement<{ event_id: string; payload: string }>(
  'order-comparisons-dead-letters',
  `select event_id, payload from dead_letters
   where subject = $2 and ${accountOfLetter} = $1 and event_id > $3 order by event_id limit ${comparedOrdersMax}`,
  { event_id: 'text', payload: 'text' },
);

type Sale = EventEnvelope<EventData<typeof orderPaid>>;

/**
 * Makes subscriptions of paid orders whose event was given up on here: it has the card that the order came with, which
 * checkout does not keep. What still cannot be made differs, and is reported.
 */
export async function startMissedSales(comparison: Comparison): Promise<void> {
  const { deps, run } = comparison;
  for await (const sales of missedSales(deps.database, run.accountId)) {
    if (run.isClosing()) return;
    await startMissing(comparison, sales);
  }
}

async function startMissing(comparison: Comparison, sales: readonly Sale[]): Promise<void> {
  const { deps, run, quietSince } = comparison;
  const { accountId } = run;
  if (sales.length === 0) return;
  const orderIds = sales.map(({ data }) => data.orderId);
  const paid = (await fetchOrders(comparison, { orderIds })).filter(({ status }) => status === 'paid');
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

/** Sales of subscriptions that were given up on, a page of letters at a time. */
async function* missedSales({ pool }: Database, accountId: string): AsyncGenerator<Sale[]> {
  let after = '';
  let page: { event_id: string; payload: string }[];
  do {
    page = (await pool.query(deadLettersStatement([accountId, orderPaid.subject, after]))).rows;
    after = page.at(-1)?.event_id ?? after;
    yield page.flatMap(({ payload }) => saleOf(payload, accountId) ?? []);
  } while (page.length === comparedOrdersMax);
}

/** Undefined for what is no sale of a subscription of the account, or cannot be read: a replay of it says why. */
function saleOf(payload: string, accountId: string): Sale | undefined {
  try {
    const sale = JSON.parse(payload) as Sale;
    return sale.accountId === accountId && startsSubscription(sale.data) && !sale.data.test ? sale : undefined;
  } catch {
    return undefined;
  }
}

const notMadeText = (orderId: string): string =>
  `Order ${orderId} is paid and sold a subscription, and the subscription could not be made. Write to the operator of the platform, who has to check its dead letters.`;
