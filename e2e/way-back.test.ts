import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderPaid } from '@app/contracts/orders';
import type { ServiceName } from '@app/contracts/services';
import { releaseBefore } from '@app/contracts/version';
import { freePort } from '@app/embedded/ports';
import { startReceiver } from '@app/testing/http-receiver';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { expect, onTestFinished, test } from 'vitest';
import { releaseCommit, unpackProgram } from './release/release-program.ts';
import { buyPatiently } from './support/buyer.ts';
import { copyMadeData } from './support/made-data.ts';
import { postOrders } from './support/pouring-orders.ts';
import { addProduct, call, made, signUp } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { handledAll, receivedAll } from './support/waits.ts';
import { countWebhookIds } from './support/webhook-ids.ts';

/**
 * Guarantee: the release before works on databases that this version has made, while orders pour in, and this version goes on where that one
 * stopped. Callers that repeat what got no answer see no more of it than a pause: each order is there once, whichever version it began with,
 * with its figures, its subscription or commission, its payment and its webhook.
 */
const commit = releaseCommit(releaseBefore);
const orders = volume(15, 500);

test.runIf(commit !== undefined)(
  `on the way back to release ${releaseBefore} and up again, while orders pour in, none is lost and none doubled`,
  { timeout: 480_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'funnelry-way-back-'));
    const dataDir = join(directory, 'data');
    const running: Standalone[] = [];
    onTestFinished(async () => {
      for (const standalone of running) await standalone.end('SIGKILL');
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    });
    const earlier = unpackProgram(commit as string, join(directory, 'release'));
    await copyMadeData(dataDir);
    const port = await freePort();
    const start = async (entry?: string): Promise<Standalone> => {
      const settings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };
      const standalone = startStandalone(dataDir, port, settings, [], entry);
      running.push(standalone);
      await standalone.until(/^ready /);
      return standalone;
    };
    const stop = async (standalone: Standalone): Promise<void> => {
      expect([await standalone.end('SIGTERM'), standalone.output()]).toEqual([0, expect.any(String)]);
    };

    const present = await start();
    const { baseUrl, platformKey } = await readCredentials(dataDir);
    const seller = await signUp(baseUrl);
    const receiver = await startReceiver();
    await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url, events: ['order.paid'] } });
    const course = await addProduct(seller, 'course');
    const club = { name: 'Club', slug: 'club', priceCents: 900, pricingType: 'subscription', billingInterval: 'month' };
    await made(seller, '/api/v1/products', { ...club, status: 'live' });
    const affiliate = { code: 'PARTNER', name: 'Partner', email: 'partner@example.com', commissionCents: 500 };
    await made(seller, '/api/v1/affiliates', affiliate);
    const { handle } = (await seller.call('GET', '/api/v1/settings')).json;

    const selling = { connections: 4, restMs: volume(100, 0), slugs: [course.slug, club.slug] };
    const pouring = postOrders(seller, { ...selling, affiliateCode: affiliate.code });
    const bought: string[] = [];
    /** What a version does besides: it takes a card, and runs the daily job. */
    const workAs = async (version: string): Promise<void> => {
      await pouring.untilMoreAnswered(orders, `orders of ${version}`);
      const wish = { handle, slug: course.slug, email: `card-${bought.length}@example.com` };
      const { status, orderId = '' } = await buyPatiently(baseUrl, { wish, card: 'sim_ok' });
      expect([version, status]).toEqual([version, 'paid']);
      bought.push(orderId);
      const headers = { authorization: `Bearer ${platformKey}` };
      expect((await call(baseUrl, 'POST', '/api/cron/daily', { headers })).json).toMatchObject({ ok: true });
      await receivedAll(receiver, 'order.paid', 'orderId', [orderId]);
    };
    await workAs('this version');
    await stop(present);
    // As deploy/README.md has it: the release before knows one account of NATS.
    await rename(join(dataDir, 'nats/jetstream/STREAMS'), join(dataDir, 'nats/jetstream/$G'));
    const before = await start(earlier);
    await workAs(releaseBefore);
    await stop(before);
    await start();
    await workAs('this version again');
    const { placed, refused } = await pouring.stop();

    expect(refused.filter(({ status }) => status !== 422)).toEqual([]);
    expect(placed.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
    const ids = [...placed.map(({ orderId }) => orderId), ...bought].toSorted();
    expect(new Set(ids).size).toBe(ids.length);
    expect((await listedIds(seller)).toSorted()).toEqual(ids);
    for (const service of ['metrics', 'billing', 'affiliate'] as const)
      await handledAll(service, orderPaid, 'orderId', ids);
    const ofCourse = placed.filter(({ slug }) => slug === course.slug).length + bought.length;
    const { summary } = (await seller.call('GET', `/api/metrics/${course.productId}`)).json;
    expect(summary).toMatchObject({ orders: ofCourse, revenueCents: ofCourse * 9_900 });
    const connections = JSON.parse(await readFile(join(dataDir, 'connections.json'), 'utf8'));
    const orderIdsOf = async (service: ServiceName, table: string): Promise<string[]> => {
      const sql = `select order_id from ${table} where account_id = $1 order by order_id`;
      const rows = await query<{ order_id: string }>(connections[service].DATABASE_URL, sql, [seller.accountId]);
      return rows.map(({ order_id }) => order_id);
    };
    const idsOf = (wanted: (order: (typeof placed)[number]) => boolean): string[] =>
      placed.flatMap((order) => (wanted(order) ? [order.orderId] : [])).toSorted();
    expect(await orderIdsOf('billing', 'subscriptions')).toEqual(idsOf(({ slug }) => slug === club.slug));
    expect(await orderIdsOf('affiliate', 'commissions')).toEqual(idsOf((order) => order.affiliate));
    expect(await orderIdsOf('billing', 'charges')).toEqual(bought.toSorted());
    await receivedAll(receiver, 'order.paid', 'orderId', ids);
    const webhooks = countWebhookIds(receiver.requests, 'order.paid', 'orderId');
    expect(ids.map((id) => [id, webhooks.get(id)])).toEqual(ids.map((id) => [id, 1]));
  },
);

async function listedIds(seller: Parameters<typeof made>[0]): Promise<string[]> {
  const ids: string[] = [];
  for (let before = ''; ; before = `&before=${ids.at(-1)}`) {
    const { json } = await seller.call('GET', `/api/v1/orders?limit=100${before}`);
    ids.push(...json.data.map(({ id }: { id: string }) => id));
    if (!json.has_more) return ids;
  }
}
