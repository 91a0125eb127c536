import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/seller.ts';
import type { ActionRecord, Answers } from './answers.ts';
import { drawCard, drawSavedCard } from './cards.ts';
import type { Random } from './random.ts';
import { again, type Run } from './run.ts';
import type { Product, Shop, World } from './world.ts';

/** One seller at work: one request after the other, so that the last answer is of the last action. */
interface Work {
  readonly run: Run;
  readonly world: World;
  readonly random: Random;
  readonly shop: Shop;
  readonly number: number;
  readonly answers: Answers;
  get(path: string): Promise<Answer>;
  /** Under an Idempotency-Key of its own, which it keeps when it is sent again. */
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** What a seller does, and how often of a hundred times. */
const activities: readonly (readonly [number, (work: Work) => Promise<void>])[] = [
  [40, recordOrder],
  [10, refundOrder],
  [2, releaseOrder],
  [16, refundPayment],
  [22, changeSubscription],
  [4, payOut],
  [5, changePrice],
  [1, sellInTestMode],
];

/** What a seller did to a subscription since a backup, once more: the platform lacks it. */
export async function repeatAction(
  run: Run,
  world: World,
  shop: Shop,
  done: { readonly subscriptionId: string; readonly action: ActionRecord['action'] },
): Promise<Answer> {
  const { send } = workOf(run, world, shop, run.random);
  return await sendAction(
    { random: run.random, shop, send },
    `/api/v1/subscriptions/${done.subscriptionId}`,
    done.action,
  );
}

function workOf(
  run: Run,
  world: World,
  shop: Shop,
  random: Random,
): Pick<Work, 'run' | 'world' | 'random' | 'shop' | 'get' | 'send'> {
  return {
    ...{ run, world, random, shop },
    get: (path) => run.answered(`GET ${nameOf(path)}`, () => shop.seller.call('GET', path)),
    send: (method, path, body) => {
      const headers = { 'idempotency-key': randomUUID() };
      const options = { headers, ...(body === undefined ? {} : { body }) };
      return run.answered(`${method} ${nameOf(path)}`, () => shop.seller.call(method, path, options));
    },
  };
}

export async function runSellers(run: Run, world: World, answers: Answers): Promise<void> {
  await Promise.all(
    world.shops.map(async (shop, number) => {
      const random = run.random.fork();
      const work: Work = { ...workOf(run, world, shop, random), number, answers };
      await again(run, async () => {
        await random.oneOf(drawn)(work);
        await run.pause(200 + random.below(1_000));
      });
    }),
  );
}

/** A path without ids, for counting. */
const nameOf = (path: string): string =>
  path
    .replace(/\/api(\/v1)?/, '')
    .replace(/[a-z]{3}_[a-z0-9]{26}/g, '…')
    .replace(/\?.*/, '');

const drawn = activities.flatMap(([share, activity]) => Array.from({ length: share }, () => activity));

async function recordOrder({ world, random, shop, number, answers, send }: Work): Promise<void> {
  const product = random.oneOf(shop.products) as Product;
  const isCharged = product.pricingType === 'subscription' && random.chance(0.8);
  const card = isCharged ? drawSavedCard(random, shop, world) : undefined;
  const answer = await send('POST', '/api/v1/orders', {
    ...{ productSlug: product.slug, email: `recorded-${random.below(1_000_000)}@example.com` },
    ...(random.chance(0.5) ? { bumpIds: product.bumpIds } : {}),
    ...(random.chance(0.4) ? { affiliateCode: shop.affiliate.code } : {}),
    ...(product.id === shop.discount.productId && random.chance(0.2) ? { discountCode: shop.discount.code } : {}),
    ...(card === undefined ? {} : { paymentMethod: card }),
  });
  if (answer.status !== 200) return;
  answers.recorded.set(answer.json.orderId, { shop: number, totalCents: answer.json.totalCents, card });
}

interface Listed {
  readonly id: string;
  readonly status: string;
}

/** One of the latest hundred. */
async function pick<Item extends Listed>(
  { random, get }: Work,
  path: string,
  isWanted: (item: Item) => boolean,
): Promise<Item | undefined> {
  const { status, json } = await get(path);
  // A refusal is counted by its code.
  if (status !== 200) return undefined;
  const wanted = (json.data as Item[]).filter(isWanted);
  return wanted.length === 0 ? undefined : random.oneOf(wanted);
}

async function refundOrder(work: Work): Promise<void> {
  const order = await pick(work, '/api/v1/orders?limit=100', () => true);
  if (order === undefined) return;
  const body = work.random.chance(0.4) ? { renewals: true } : undefined;
  const { status, json } = await work.send('POST', `/api/v1/orders/${order.id}/refund`, body);
  if (status === 200 && json.status === 'refunded') work.answers.refundedOrders.add(order.id);
}

/** Ends the hold of an order whose buyer has not decided yet, or is about to. */
async function releaseOrder(work: Work): Promise<void> {
  const order = await pick(work, '/api/v1/orders?limit=100', ({ status }) => status === 'authorized');
  if (order !== undefined) await work.send('POST', `/api/v1/orders/${order.id}/release`);
}

interface ListedPayment extends Listed {
  readonly step: string;
  readonly amount_cents: number;
}

const taking = ['main', 'capture', 'recharge', 'upsell', 'renewal'];

/** In parts, or the whole rest. A held payment took no money: its refund is refused. */
async function refundPayment(work: Work): Promise<void> {
  const { random, answers } = work;
  const payment = await pick<ListedPayment>(work, '/api/v1/payments?status=succeeded&limit=100', ({ step }) =>
    taking.includes(step),
  );
  if (payment === undefined) return;
  const part = 1 + random.below(Math.ceil(payment.amount_cents / 2));
  const body = random.chance(0.7) ? { amountCents: part } : {};
  const { status, json } = await work.send('POST', `/api/v1/payments/${payment.id}/refund`, body);
  if (status !== 200) return;
  const before = answers.refundedPayments.get(payment.id) ?? 0;
  answers.refundedPayments.set(payment.id, Math.max(before, json.refundedCents));
}

const actions: readonly ActionRecord['action'][] = [
  ...(['cancel', 'cancel-at-end', 'cancel-at-end', 'keep'] as const),
  ...(['pause', 'pause', 'resume', 'resume', 'payment-method'] as const),
];

interface ListedSubscription extends Listed {
  readonly cancel_at: string | null;
}

async function changeSubscription(work: Work): Promise<void> {
  const { random, answers } = work;
  const action = random.oneOf(actions);
  const isFit = ({ status, cancel_at }: ListedSubscription): boolean => {
    if (action === 'keep') return cancel_at !== null;
    return action === 'resume' ? status === 'paused' : status !== 'canceled' || random.chance(0.02);
  };
  const query = action !== 'resume' && action !== 'keep' && random.chance(0.3) ? '&status=past_due' : '';
  const subscription = await pick(work, `/api/v1/subscriptions?limit=100${query}`, isFit);
  if (subscription === undefined) return;
  const path = `/api/v1/subscriptions/${subscription.id}`;
  const { status, json } = await sendAction(work, path, action);
  if (status === 200) answers.actions.set(subscription.id, { action, status: json.status, shop: work.number });
}

function sendAction(
  { random, shop, send }: Pick<Work, 'random' | 'shop' | 'send'>,
  path: string,
  action: ActionRecord['action'],
): Promise<Answer> {
  switch (action) {
    case 'payment-method':
      return send('PUT', `${path}/payment-method`, { paymentMethod: drawCard(random, shop) });
    case 'cancel-at-end':
      return send('POST', `${path}/cancel`, { at: 'period_end' });
    default:
      return send('POST', `${path}/${action}`);
  }
}

async function payOut({ random, shop, answers, send }: Work): Promise<void> {
  const query = random.chance(0.3) ? '?includePending=true' : '';
  const { status, json } = await send('POST', `/api/v1/affiliates/${shop.affiliate.code}/payouts${query}`);
  if (status === 200) answers.payouts.set(json.id, json.amount_cents);
}

async function changePrice({ random, shop, send }: Work): Promise<void> {
  const product = random.oneOf(shop.products) as Product;
  await send('PATCH', `/api/v1/products/${product.id}`, { priceCents: 1_000 + random.below(20) * 500 });
}

/** For some seconds. Orders of that time are rehearsals, and charge no card. */
async function sellInTestMode({ run, send }: Work): Promise<void> {
  await send('PATCH', '/api/v1/settings', { testMode: true });
  await run.pause(2_000);
  await send('PATCH', '/api/v1/settings', { testMode: false });
}
