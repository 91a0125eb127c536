import { orderPaid } from '@app/contracts/orders';
import type { ServiceName } from '@app/contracts/services';
import { volume } from '@app/testing/long';
import { atRandomMoments, atRate } from '@app/testing/pace';
import { expect, test } from 'vitest';
import { type Buyer, buyPatiently } from './support/buyer.ts';
import { cluster, receiver, seller, shortLeases, startOwnCluster } from './support/own-cluster.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { addProduct } from './support/seller.ts';
import { handledAll, receivedAll } from './support/waits.ts';
import { countWebhookIds } from './support/webhook-ids.ts';

/**
 * Guarantee: whichever of checkout, billing and gateway is killed with -9 at whatever moment, what a buyer saw last is
 * what happened: a paid order is in the list once with its total, in the metrics and at the receiver once, and the
 * processor's books have its money once; a declined one is nowhere and cost nothing; a held one is held and not charged.
 */
const crashes = volume(3, 50);
const seconds = volume(4, 60);
/** Every card meets every decision. */
const buyersPerSecond = volume(12, 20);
const killed: readonly ServiceName[] = ['checkout', 'billing', 'gateway'];

startOwnCluster(() => ({ settings: { ...shortLeases, PROCESSOR_DEADLINE_MS: '2000' }, apart: killed }));

/** Cards and decisions take turns; the random moments of the kills do the rest. */
const cards = ['sim_ok', 'sim_ok', 'sim_ok', 'sim_declined', 'sim_ok', 'sim_timeout_after', 'sim_error_after'];
const decisions = [true, false, undefined];

function buyerOf(n: number, handle: string, slugs: readonly string[]): Buyer {
  const wish = { handle, slug: slugs[n % slugs.length] as string, email: `buyer-${n}@example.com` };
  return { wish, card: cards[n % cards.length] as string, accept: decisions[n % decisions.length] };
}

test('buyers, orders, metrics, webhooks and the processor agree after kills of checkout, billing and gateway', {
  timeout: (seconds * 6 + 240) * 1_000,
}, async () => {
  const plain = await addProduct(seller, 'plain');
  const funnel = await addProduct(seller, 'funnel');
  const offer = { headline: 'The workbook', priceCents: 2_900 };
  expect((await seller.call('POST', `/api/v1/products/${funnel.productId}/upsells`, { body: offer })).status).toBe(200);
  const endpoint = { url: `${receiver.url}/hook`, events: ['order.paid', 'upsell.accepted'] };
  expect((await seller.call('PUT', '/api/v1/webhook-endpoint', { body: endpoint })).status).toBe(200);
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;

  let kills = 0;
  const [purchases] = await Promise.all([
    atRate(seconds * buyersPerSecond, buyersPerSecond, (n) =>
      buyPatiently(cluster.baseUrl, buyerOf(n, handle, [plain.slug, funnel.slug])),
    ),
    atRandomMoments(crashes, seconds * 1_000, async () => {
      await cluster.process(killed[kills++ % killed.length] as ServiceName).restart();
    }),
  ]);
  // Otherwise nothing was seen of what a kill costs a buyer.
  expect(purchases.some(({ repeats }) => repeats > 0)).toBe(true);
  const bought = purchases.filter(({ status }) => status !== 'declined');
  const reported = new Map(bought.map(({ orderId, status, totalCents }) => [orderId, [status, totalCents]]));
  expect(reported.size).toBe(bought.length);
  expect(new Set(purchases.map(({ status }) => status))).toEqual(new Set(['paid', 'declined', 'authorized']));

  const listed = await listOrders();
  expect(new Map(listed.map(({ id, status, total_cents }) => [id, [status, total_cents]]))).toEqual(reported);
  const money = await moneyByOrder(cluster.databaseUrl('billing'));
  const charged = bought.filter(({ status }) => status === 'paid');
  expect(
    new Map([...money].filter(([, { chargedCents }]) => chargedCents > 0).map(([id, m]) => [id, m.chargedCents])),
  ).toEqual(new Map(charged.map(({ orderId, totalCents }) => [orderId, totalCents])));
  for (const [orderId, { charges }] of money) expect([orderId, charges <= 2]).toEqual([orderId, true]);
  const held = bought.filter(({ status }) => status === 'authorized').map(({ orderId }) => orderId);
  expect(
    [...money]
      .filter(([, { openHolds }]) => openHolds > 0)
      .map(([id]) => id)
      .toSorted(),
  ).toEqual(held.toSorted());

  for (const { productId, slug } of [plain, funnel]) {
    const paid = charged.filter(({ wish }) => wish.slug === slug);
    const revenueCents = paid.reduce((sum, { totalCents }) => sum + totalCents, 0);
    await handledAll('metrics', orderPaid, 'orderId', idsOf(paid));
    const { summary } = (await seller.call('GET', `/api/metrics/${productId}`)).json;
    expect(summary).toMatchObject({ orders: paid.length, revenueCents });
  }
  await receivedAll(receiver, 'order.paid', 'orderId', idsOf(charged));
  expect(webhooks('order.paid')).toEqual(new Map(charged.map(({ orderId }) => [orderId, 1])));
  const upsold = charged.filter(({ upsell }) => upsell === 'accepted');
  await receivedAll(receiver, 'upsell.accepted', 'orderId', idsOf(upsold));
  expect(webhooks('upsell.accepted')).toEqual(new Map(upsold.map(({ orderId }) => [orderId, 1])));
});

const idsOf = (purchases: readonly { orderId: string | undefined }[]): string[] =>
  purchases.flatMap(({ orderId }) => orderId ?? []);

async function listOrders(): Promise<{ id: string; status: string; total_cents: number }[]> {
  const orders: { id: string; status: string; total_cents: number }[] = [];
  for (let before = ''; ; ) {
    const { json } = await seller.call('GET', `/api/v1/orders?limit=100${before}`);
    orders.push(...json.data);
    if (!json.has_more) return orders;
    before = `&before=${orders.at(-1)?.id}`;
  }
}

const webhooks = (event: string) => countWebhookIds(receiver.requests, event, 'orderId');
