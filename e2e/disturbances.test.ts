import { randomBytes } from 'node:crypto';
import { dayMs } from '@app/contracts/durations';
import { orderPaid } from '@app/contracts/orders';
import { serviceNames } from '@app/contracts/services';
import { fullDiskMet } from '@app/gateway/points';
import { isLong, volume } from '@app/testing/long';
import { atRate } from '@app/testing/pace';
import { listen } from '@app/testing/points';
import { startSmtpServer } from '@app/testing/smtp-server';
import { timePasses } from '@app/testing/time-passes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buyPatiently } from './support/buyer.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type Later, startLater } from './support/later.ts';
import { verifyAddress } from './support/letters.ts';
import { cluster, receiver, seller, shortLeases, startOwnCluster } from './support/own-cluster.ts';
import { mayMount } from './support/own-disk.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from './support/replicated-postgres.ts';
import { addProduct, call } from './support/seller.ts';
import { handledAll, receivedAll } from './support/waits.ts';
import { countWebhookIds } from './support/webhook-ids.ts';

/**
 * Guarantee: whatever is disturbed while buyers pay, what each buyer was answered is what happened. Each paid order is in the list once, at the
 * processor once, in the metrics once and at the receiver once; a declined one is nowhere. `npm run chaos` runs all of the table, and longer.
 * Upgrade and the way back are in upgrade.test.ts and way-back.test.ts.
 */
const seconds = volume(4, 15);
const perSecond = volume(6, 20);

let postgres: ReplicatedPostgres;
let later: Later;
let mails: Awaited<ReturnType<typeof startSmtpServer>>;
beforeAll(async () => {
  postgres = await startReplicatedPostgres(volume(500, 1_500));
  later = startLater();
  mails = await startSmtpServer();
});
const settings = () => ({
  ...later.settings,
  ...shortLeases,
  ...{ PROCESSOR_DEADLINE_MS: '2000', SMTP_URL: mails.url, EMAIL_FROM: 'mail@platform.example' },
});
startOwnCluster(() => ({
  postgres,
  settings: { ...settings(), INSTALLATION_ID: 'original' },
  // In the short form no service is killed.
  apart: isLong ? serviceNames : [],
}));
beforeAll(() => postgres.replicate());
afterAll(async () => {
  await copy?.close();
  await postgres?.close();
  await mails?.close();
  later?.close();
});

interface Disturbance {
  readonly name: string;
  /** Begins in the middle of the sales. @returns how long nothing could be written, in milliseconds, where that is known */
  readonly disturb: () => Promise<unknown>;
  /** What buyers pay with, in turn. */
  readonly cards?: readonly string[];
  /** Before the sales. */
  readonly prepare?: () => Promise<unknown>;
  /** What holds of this disturbance alone, once all is counted. @param emails of those who paid */
  readonly expectMore?: (emails: readonly string[]) => Promise<void>;
}

let products = 0;
/** The orders of all rows. */
const sold = new Set<string>();
const usualCards = ['sim_ok', 'sim_ok', 'sim_declined', 'sim_ok'];

const killed: readonly Disturbance[] = serviceNames.map((service) => ({
  name: `${service} is killed`,
  disturb: () => cluster.process(service).restart(),
}));
/** The cluster that a restored backup was started as. */
let copy: Cluster | undefined;

const others: readonly Disturbance[] = [
  {
    name: 'nats-server is killed, and away for a second',
    disturb: async () => {
      await cluster.nats.kill();
      await timePasses(1_000);
      await cluster.nats.start();
    },
  },
  {
    name: 'the receiver of webhooks fails for a second',
    disturb: async () => {
      receiver.respondWith(() => ({ status: 503, headers: { 'retry-after': '1' } }));
      await timePasses(1_000);
      receiver.respondWith(() => ({ status: 200 }));
    },
  },
  {
    name: 'the processor gives no answer, before and after it charges',
    disturb: async () => undefined,
    cards: ['sim_timeout_after', 'sim_error_after', 'sim_ok', 'sim_declined'],
  },
];

/** Each takes longer than the others, or longer to prepare. */
const slow: readonly Disturbance[] = [
  {
    name: 'the processor answers later than billing waits',
    disturb: async () => undefined,
    cards: ['sim_slow', 'sim_ok', 'sim_declined', 'sim_ok'],
  },
  {
    name: 'a backup is restored beside its original, which goes on',
    disturb: async () => {
      const restored = await postgres.restoreCopy();
      copy = await startCluster({
        postgres: restored,
        settings: { ...settings(), INSTALLATION_ID: 'copy' },
        apart: [],
      });
    },
    // Its databases have payments to look up and webhooks to send: it does neither, and its books stay as they were.
    expectMore: async () => {
      if (copy === undefined) throw new Error('no copy was started');
      const { json } = await call(copy.baseUrl, 'GET', '/readyz');
      expect(json).toMatchObject({ status: 'degraded', warnings: [expect.stringContaining('copy')] });
      const [there, here] = await Promise.all(
        [copy, cluster].map(({ databaseUrl }) => moneyByOrder(databaseUrl('billing'))),
      );
      expect(there?.size).toBeGreaterThan(0);
      for (const [orderId, { charges }] of there ?? [])
        expect([orderId, charges <= (here?.get(orderId)?.charges ?? 0)]).toEqual([orderId, true]);
    },
  },
  {
    name: 'the mail server hangs up and hangs, for a second each',
    prepare: () => verifyAddress(cluster.baseUrl, seller, mails),
    disturb: async () => {
      for (const fault of ['hang up', 'silent'] as const) {
        mails.behaviour.greeting = fault;
        await timePasses(1_000);
      }
      mails.behaviour.greeting = '220 ready';
    },
    expectMore: async (emails) => {
      const isReceipt = ({ to }: { readonly to: string }) => emails.includes(to);
      await mails.receivedEmails(emails.length, isReceipt);
      const receipts = mails.received.filter(isReceipt).map(({ to }) => to);
      expect(receipts.toSorted()).toEqual(emails.toSorted());
    },
  },
];
/** Of the server that takes writes; nothing else is on it. */
const fullDisk: Disturbance = {
  name: 'the disk of PostgreSQL is full for two seconds',
  disturb: async () => {
    const { productId } = await addProduct(seller, 'written-to');
    const { announced } = listen();
    await postgres.fillDisk();
    // It fits into no page that is there, whatever the orders of this moment do.
    const body = { position: 1, sendDay: 0, subject: 'Welcome', body: randomBytes(40_000).toString('hex') };
    expect(await seller.call('POST', `/api/v1/products/${productId}/emails`, { body })).toMatchObject({
      status: 503,
      json: { code: 'service_unavailable', detail: expect.stringContaining('disk of a database is full') },
    });
    await announced(fullDiskMet);
    expect((await call(cluster.baseUrl, 'GET', '/readyz')).json).toMatchObject({
      status: 'degraded',
      warnings: ['the disk of a database is full: writes are refused'],
    });
    await timePasses(2_000);
    await postgres.emptyDisk();
  },
};
// What is open for less than two days is over then: a letter, a session.
const leap: Disturbance = { name: 'all clocks leap two days ahead', disturb: async () => later.advance(2 * dayMs) };
// The last one: no standby is left.
const failover: Disturbance = { name: 'a failover of PostgreSQL', disturb: () => postgres.failOver() };

const last = [...(mayMount ? [fullDisk] : []), leap, failover];

test.each(isLong ? [...killed, ...others, ...slow, ...last] : [...others, ...last])(
  '$name: nothing is lost and nothing doubled',
  { timeout: (seconds * 6 + 240) * 1_000 },
  async ({ name, disturb, cards = usualCards, prepare, expectMore }) => {
    await prepare?.();
    const { productId, slug } = await addProduct(seller, `sold-${++products}`);
    const endpoint = { url: `${receiver.url}/hook`, events: ['order.paid'] };
    expect((await seller.call('PUT', '/api/v1/webhook-endpoint', { body: endpoint })).status).toBe(200);
    const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
    const [purchases, awayMs] = await Promise.all([
      atRate(seconds * perSecond, perSecond, (n) =>
        buyPatiently(cluster.baseUrl, {
          wish: { handle, slug, email: `buyer-${n}@${slug}.example.com` },
          card: cards[n % cards.length] as string,
          accept: undefined,
        }),
      ),
      timePasses((seconds * 1_000) / 2).then(disturb),
    ]);
    const paid = purchases.filter(({ status }) => status === 'paid');
    const ids = paid.flatMap(({ orderId }) => orderId ?? []);
    expect(new Set(ids).size).toBe(paid.length);
    expect(new Set(purchases.map(({ status }) => status))).toEqual(new Set(['paid', 'declined']));

    expect((await listOrders(productId)).toSorted()).toEqual(ids.toSorted());
    const money = await moneyByOrder(cluster.databaseUrl('billing'));
    const charged = ids.map((id) => [id, money.get(id)?.chargedCents, money.get(id)?.charges]);
    expect(charged).toEqual(paid.map(({ orderId, totalCents }) => [orderId, totalCents, 1]));
    for (const id of ids) sold.add(id);
    // Whoever was told that nothing was taken.
    expect([...money].filter(([id, { chargedCents }]) => !sold.has(id) && chargedCents !== 0)).toEqual([]);
    await handledAll('metrics', orderPaid, 'orderId', ids);
    const { summary } = (await seller.call('GET', `/api/metrics/${productId}`)).json;
    expect(summary.orders).toBe(paid.length);
    await receivedAll(receiver, 'order.paid', 'orderId', ids);
    const webhooks = countWebhookIds(receiver.requests, 'order.paid', 'orderId');
    expect(ids.map((id) => [id, webhooks.get(id)])).toEqual(ids.map((id) => [id, 1]));
    await expectMore?.(paid.map(({ wish }) => wish.email));
    const repeats = purchases.filter((purchase) => purchase.repeats > 0).length;
    const declined = purchases.flatMap(({ status }, n) => (status === 'declined' ? [cards[n % cards.length]] : []));
    const lost = declined.filter((card) => card !== 'sim_declined').length;
    const away = typeof awayMs !== 'number' ? '' : `; nothing was written for ${Math.round(awayMs)} ms`;
    process.stdout.write(
      `${name}: ${paid.length} orders, payments and webhooks, each once; ${declined.length} declined, ${lost} of them on a good card, nothing taken; ${repeats} buyers repeated a request${away}\n`,
    );
  },
);

async function listOrders(productId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let before = ''; ; ) {
    const { json } = await seller.call('GET', `/api/v1/orders?limit=100${before}`);
    const listed: { id: string; product_id: string }[] = json.data;
    ids.push(...listed.filter(({ product_id }) => product_id === productId).map(({ id }) => id));
    if (!json.has_more) return ids;
    before = `&before=${listed.at(-1)?.id}`;
  }
}
