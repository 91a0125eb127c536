import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renewalsClaimed } from '@app/billing/points';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionPaymentFailed, subscriptionRebilled, subscriptionStarted } from '@app/contracts/subscriptions';
import { volume } from '@app/testing/long';
import { atRandomMoments } from '@app/testing/pace';
import { listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { timePasses } from '@app/testing/time-passes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Later, startLater } from './support/later.ts';
import { verifyAddress } from './support/letters.ts';
import { cluster, receiver, seller, shortLeases, startOwnCluster } from './support/own-cluster.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { type Answer, addProduct } from './support/seller.ts';
import { handledAll, receivedAll } from './support/waits.ts';
import { countWebhookIds } from './support/webhook-ids.ts';

/**
 * Guarantee: whenever billing and checkout are killed with -9 while the daily run charges renewals, one more run afterwards
 * leaves every renewal that was due charged exactly once: in the processor's books, in the list of subscriptions, in the
 * metrics, and at the receiver. One that was declined was tried once. The product is archived by then. Buyers who left a
 * checkout of another product meanwhile were reminded, and none twice.
 */
const crashes = volume(3, 50);
const renewals = volume(48, 2_000);
const priceCents = 1_900;
const minuteMs = 60_000;
/** A payment without an answer is looked up when it is a minute old. */
const untilLookedUpMs = 2 * minuteMs;
/** A checkout left untouched for an hour has stalled. */
const untilStalledMs = 61 * minuteMs;
/** A run reads so many renewals at once. */
const batch = 256;
/** What slow cards take: a batch with nothing but them takes half a minute. */
const slowMs = String(volume(600, 400));
/** Buyers who leave their checkouts before each kill. */
const stalledEach = 5;

const betweenRunsMs = 50;

let later: Later;
let emails: string;

beforeAll(() => {
  emails = mkdtempSync(join(tmpdir(), 'daily-crash-'));
  later = startLater();
});
afterAll(() => {
  later?.close();
  rmSync(emails, { recursive: true });
});
startOwnCluster(() => ({
  settings: {
    ...later.settings,
    ...shortLeases,
    ...{ PROCESSOR_DEADLINE_MS: '2000', SIMULATED_SLOW_MS: slowMs },
  },
  emails,
  apart: ['billing', 'checkout'],
}));
beforeAll(() => verifyAddress(cluster.baseUrl, seller, emails));

/** Cards take turns. The slow ones keep the run long enough for kills to find it at work. */
const cards = [
  ...['sim_ok', 'sim_slow', 'sim_ok', 'sim_slow', 'sim_slow', 'sim_declined', 'sim_slow'],
  ...['sim_timeout_after', 'sim_slow', 'sim_error_after', 'sim_slow', 'sim_timeout_before'],
];
const cardOf = (n: number): string => cards[n % cards.length] as string;
const works = (card: string): boolean => card !== 'sim_declined';

interface Listed {
  readonly id: string;
  readonly order_id: string;
  readonly status: string;
  readonly current_period_end: string;
  readonly failed_tries: number;
}

async function listSubscriptions(): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let before = ''; ; ) {
    const { json } = await seller.call('GET', `/api/v1/subscriptions?limit=100${before}`);
    listed.push(...json.data);
    if (!json.has_more) return listed;
    before = `&before=${listed.at(-1)?.id}`;
  }
}

/**
 * Half of the renewals fall due together, and the first quarter of the kills meets what is left of them. For each later kill a
 * portion of the others falls due; all within a day: before what was declined is tried again.
 */
const portionEveryMs = Math.min(60, (24 * 60) / crashes) * minuteMs;
const together = Math.ceil(renewals / 2);
const killsTogether = Math.ceil(crashes / 4);
const portionOf = (n: number): number =>
  n < together ? 0 : killsTogether + Math.floor(((n - together) * (crashes - killsTogether)) / (renewals - together));
const numbers = Array.from({ length: renewals }, (_, n) => n);

/** When each kill's portion is due. @param dueMs of all renewals, the earliest first */
const portionsDue = (dueMs: readonly number[]): number[] =>
  Array.from({ length: crashes }, (_, crash) => {
    const last = dueMs[numbers.findLastIndex((n) => portionOf(n) <= crash)] as number;
    return Math.max(last, (dueMs[together - 1] as number) + crash * portionEveryMs);
  });

/** Orders of a monthly product, each with its card; resolves with the card of each order once all renew. */
async function sell(productSlug: string): Promise<Map<string, string>> {
  const sold = new Map<string, string>();
  const sellOne = async (n: number): Promise<void> => {
    const body = { productSlug, email: `member-${n}@example.com`, paymentMethod: cardOf(n) };
    const { status, json } = await seller.call('POST', '/api/v1/orders', { body });
    expect(status).toBe(200);
    sold.set(json.orderId, cardOf(n));
  };
  let before = 0;
  for (const [portion, sales] of Map.groupBy(numbers, portionOf)) {
    later.advance((portion - before) * portionEveryMs);
    before = portion;
    for (let from = 0; from < sales.length; from += 50) await Promise.all(sales.slice(from, from + 50).map(sellOne));
  }
  for (const service of ['billing', 'metrics'] as const)
    await handledAll(service, orderPaid, 'orderId', [...sold.keys()]);
  await handledAll('metrics', subscriptionStarted, 'orderId', [...sold.keys()]);
  expect(await listSubscriptions()).toHaveLength(renewals);
  return sold;
}

/** Undefined when its caller got no answer. */
const runDaily = (): Promise<Answer | undefined> => seller.call('POST', '/api/cron/daily').catch(() => undefined);

const countPayments = async (where: string): Promise<number> => {
  const sql = `select count(*)::integer as count from payments where step = 'renewal' and ${where}`;
  const [row] = await query<{ count: number }>(cluster.databaseUrl('billing'), sql);
  return row?.count ?? 0;
};
const countOpen = (): Promise<number> => countPayments(`status not in ('succeeded', 'declined')`);

/** Renewals that are due and that no run has claimed. */
const countUnclaimed = async (): Promise<number> => {
  const sql = `select count(*)::integer as count from subscriptions as s where s.next_charge_at <= $1 and not exists (
    select from payments as p where p.account_id = s.account_id and p.order_id = s.order_id and p.step = 'renewal')`;
  const [row] = await query<{ count: number }>(cluster.databaseUrl('billing'), sql, [new Date(later.nowMs())]);
  return row?.count ?? 0;
};

/** Buyers leave their checkouts; resolves with their emails. */
async function leaveCheckouts(handle: string, round: number): Promise<string[]> {
  const buyers = Array.from({ length: stalledEach }, (_, n) => `left-${round}-${n}@example.com`);
  await Promise.all(buyers.map((email) => openCheckout(cluster.baseUrl, { handle, slug: 'course', email })));
  return buyers;
}

/** By buyer, how many reminders were written to them. */
function emailsByBuyer(): Map<string, number> {
  const written = readdirSync(emails).filter((name) => /^rmd.*\.eml$/.test(name));
  const buyers = written.map(
    (name) => /^To: .*?([\w-]+@example\.com)/m.exec(readFileSync(join(emails, name), 'latin1'))?.[1],
  );
  return new Map([...Map.groupBy(buyers, String)].map(([buyer, all]) => [buyer, all.length]));
}

/** Reminders that a process was killed over count as sent, whether or not their emails were written. */
async function expectReminded(buyers: readonly string[]): Promise<void> {
  const rows = await query<{ email: string; status: string }>(
    cluster.databaseUrl('checkout'),
    'select email, status from reminders order by email',
  );
  expect(rows.map(({ email }) => email)).toEqual(buyers.toSorted());
  const written = emailsByBuyer();
  expect([...written.keys()].filter((buyer) => !buyers.includes(buyer))).toEqual([]);
  const wrong = rows.filter(({ email, status }) => {
    const count = written.get(email) ?? 0;
    return status === 'sent' ? count !== 1 : status !== 'sending' || count > 1;
  });
  expect(wrong).toEqual([]);
}

/**
 * Daily runs one after the other, while billing, and now and then checkout, is killed at a random moment of the work on what
 * has just fallen due. Resolves with the number of kills that found payments under way, of those that found more than a
 * batch claimed and others left, and with the buyers who left their checkouts meanwhile.
 * @param dueMs when each portion of the renewals is due
 */
async function runWhileKilled(dueMs: readonly number[], handle: string) {
  // A checkout that is seven days old is not reminded of: the month passes before the first is left.
  later.advance((dueMs[0] as number) - untilStalledMs - later.nowMs());
  let over = false;
  const runOn = async (): Promise<void> => {
    for (; !over; await timePasses(betweenRunsMs)) await runDaily();
  };
  const callers = Array.from({ length: 2 }, runOn);
  let found = 0;
  let betweenBatches = 0;
  const left: string[] = [];
  for (const [crash, due] of dueMs.entries()) {
    left.push(...(await leaveCheckouts(handle, crash)));
    const { announced } = listen();
    later.advance(Math.max(0, due - later.nowMs()));
    // Some kills come before the first payment is written, or long after the last one.
    // A run first looks up what the one before was killed over: a batch of slow cards, four at a time.
    if (crash % 4 !== 3 && (await countUnclaimed()) > 0) await announced(renewalsClaimed);
    await atRandomMoments(1, 900, async () => {
      const killed = crash % 3 === 2 ? (['billing', 'checkout'] as const) : (['billing'] as const);
      await Promise.all(killed.map((service) => cluster.process(service).kill()));
      if ((await countOpen()) > 0) found += 1;
      const isMidway = crash < killsTogether && (await countPayments('true')) > batch && (await countUnclaimed()) > 0;
      if (isMidway) betweenBatches += 1;
      await Promise.all(killed.map((service) => cluster.process(service).restart()));
    });
  }
  over = true;
  await Promise.all(callers);
  return { found, betweenBatches, left };
}

const metricsOf = async (productId: string) => (await seller.call('GET', `/api/metrics/${productId}`)).json.summary;

test('every renewal that was due is charged once, and books, metrics and webhooks agree, after kills of billing and checkout in the daily run', {
  timeout: (crashes * 15 + renewals / 4 + 300) * 1_000,
}, async () => {
  const product = { name: 'Club', slug: 'club', priceCents, currency: 'usd', pricingType: 'subscription' };
  const created = await seller.call('POST', '/api/v1/products', {
    body: { ...product, billingInterval: 'month', status: 'live' },
  });
  const productId: string = created.json.id;
  const events = ['subscription.rebilled', 'subscription.payment_failed', 'subscription.canceled'];
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/hook`, events } });
  const sold = await sell('club');
  const paidCents = renewals * priceCents;
  expect(await metricsOf(productId)).toMatchObject({ activeSubscriptions: renewals, revenueCents: paidCents });
  const ends = new Map((await listSubscriptions()).map(({ id, current_period_end }) => [id, current_period_end]));

  // It is no longer for sale; what was sold goes on.
  const archived = await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { status: 'archived' } });
  expect(archived.json.status).toBe('archived');
  const dueMs = [...ends.values()].map((end) => Date.parse(end)).toSorted((one, other) => one - other);
  await addProduct(seller);
  const { handle } = (await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'The club' } })).json;
  const { found, betweenBatches, left } = await runWhileKilled(portionsDue(dueMs), handle);
  // Otherwise nothing was seen of what a kill costs.
  expect(found).toBeGreaterThanOrEqual(Math.floor(crashes / 3));
  expect(betweenBatches).toBeGreaterThanOrEqual(together > 2 * batch ? 1 : 0);
  // The last kill left a run half-way. Cards that give no answer leave something to look up to the run after this one.
  later.advance(untilStalledMs);
  do {
    expect(await runDaily()).toMatchObject({ status: 200, json: { ok: true } });
    later.advance(untilLookedUpMs);
  } while ((await countOpen()) > 0);
  expect(await runDaily()).toMatchObject({ json: { ok: true, rebills: { charged: 0, retried: 0, canceled: 0 } } });

  await expectReminded(left);

  const money = await moneyByOrder(cluster.databaseUrl('billing'));
  expect(new Map([...sold.keys()].map((id) => [id, money.get(id)?.chargedCents ?? 0]))).toEqual(
    new Map([...sold].map(([id, card]) => [id, works(card) ? priceCents : 0])),
  );
  expect(Math.max(...[...money.values()].map(({ charges }) => charges))).toBe(1);

  const renewed = await listSubscriptions();
  const isRenewed = new Map(renewed.map(({ id, order_id }) => [id, works(sold.get(order_id) as string)]));
  for (const { id, status, failed_tries, current_period_end } of renewed) {
    const isLater = current_period_end > (ends.get(id) as string);
    expect([id, status, failed_tries, isLater]).toEqual(
      isRenewed.get(id) ? [id, 'active', 0, true] : [id, 'past_due', 1, false],
    );
  }
  const idsOf = (wanted: boolean) => [...isRenewed].filter(([, paid]) => paid === wanted).map(([id]) => id);
  const once = (ids: readonly string[]) => new Map(ids.map((id) => [id, 1]));
  await receivedAll(receiver, 'subscription.rebilled', 'subscriptionId', idsOf(true));
  expect(webhooks('subscription.rebilled')).toEqual(once(idsOf(true)));
  await receivedAll(receiver, 'subscription.payment_failed', 'subscriptionId', idsOf(false));
  expect(webhooks('subscription.payment_failed')).toEqual(once(idsOf(false)));
  expect(webhooks('subscription.canceled')).toEqual(new Map());

  const revenueCents = paidCents + idsOf(true).length * priceCents;
  await handledAll('metrics', subscriptionRebilled, 'subscriptionId', idsOf(true));
  await handledAll('metrics', subscriptionPaymentFailed, 'subscriptionId', idsOf(false));
  expect(await metricsOf(productId)).toMatchObject({
    ...{ orders: renewals, revenueCents, activeSubscriptions: idsOf(true).length },
    mrrCents: idsOf(true).length * priceCents,
  });
});

const webhooks = (event: string) => countWebhookIds(receiver.requests, event, 'subscriptionId');
