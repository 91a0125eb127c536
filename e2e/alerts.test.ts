import { readFileSync } from 'node:fs';
import { checkoutVisited } from '@app/contracts/checkouts';
import { hourMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import type { ServiceName } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { eventsGivenUp, eventsSentBack } from '@app/messaging/points';
import { expectFiring, hasPromtool, type ScrapedPage, scrape } from '@app/testing/alerts';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { connectObserver } from '@app/testing/nats';
import { announced, listen } from '@app/testing/points';
import { startSmtpServer } from '@app/testing/smtp-server';
import { lockRows, lockTable, query } from '@app/testing/sql';
import { timePasses } from '@app/testing/time-passes';
import { attemptsRecorded, conservationProved } from '@app/webhook-dispatcher/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Cluster, platformKey, startCluster } from './support/cluster.ts';
import { type Later, startLater } from './support/later.ts';
import { verifyAddress } from './support/letters.ts';
import { addProduct, call, made, placeOrder, type Seller, signUp } from './support/seller.ts';
import { attempted, handled } from './support/waits.ts';

/**
 * Guarantee: an alert fires when what it is about happens to the services, and none fires before. Prometheus' own rules are
 * evaluated over what the services show. A full disk is in `outages.test.ts`, a copy in `copied-data.test.ts`.
 */
let receiver: Receiver;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let later: Later;
let cluster: Cluster;
let healthPort: number;
let seller: Seller;
let handle: string;
/** Of the account whose database is made to lack a sale. */
let lacking: Seller;
const locks: (() => Promise<void>)[] = [];
/** Metrics takes events again. */
let unlockInbox: () => Promise<void>;
/** The dispatcher stores events again. */
let unlockEndpoints: () => Promise<void>;
/** The id of the event whose row is gone. */
let lostEventId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  server = await startSmtpServer();
  later = startLater();
  healthPort = await freePort();
  cluster = await startCluster({
    settings: {
      ...later.settings,
      ...{ METRICS_PAGE: 'enabled', HEALTH_PORT: String(healthPort), HEALTH_HOST: '127.0.0.1' },
      ...{ SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' },
      ...{ CONSERVATION_SECONDS: '1', PROCESSOR_DEADLINE_MS: '1000' },
    },
    apart: [],
  });
  seller = await signUp(cluster.baseUrl);
  await verifyAddress(cluster.baseUrl, seller, server);
  const headers = { cookie: seller.session };
  await call(cluster.baseUrl, 'PUT', '/api/v1/payment-processor', { headers, body: { processor: 'simulated' } });
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url, events: ['order.paid'] } });
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
  await addProduct(seller, 'course');
  const { productId } = await addProduct(seller, 'held');
  await made(seller, `/api/v1/products/${productId}/upsells`, { headline: 'More', priceCents: 900 });
  lacking = await signUp(cluster.baseUrl);
  const club = { name: 'Club', slug: 'club', priceCents: 900, pricingType: 'subscription', billingInterval: 'month' };
  await made(lacking, '/api/v1/products', { ...club, status: 'live' });
});

afterAll(async () => {
  for (const unlock of locks) await unlock();
  await cluster?.close();
  await server?.close();
  await receiver?.close();
  later?.close();
});

const runbooks = readFileSync('deploy/observability/runbooks.md', 'utf8');
/** Of a runbook: the database and the query. */
const queriesIn = (text: string): string[][] =>
  [...text.matchAll(/psql -U postgres (\w+) -c (["'])(.+?)\2`/g)].map(([, database = '', , sql = '']) => [
    database,
    sql,
  ]);
/** The queries of an alert's runbook, in order. */
const queriesOf = (alert: string): (string | undefined)[] =>
  queriesIn(runbooks.split('\n## ').find((section) => section.startsWith(`${alert}\n`)) ?? '').map(([, sql]) => sql);

/** However often a page is read, its gauges are read once in five seconds. */
const rereadAfterMs = 5_100;

const scraped = (minutes: number) => scrape(healthPort, minutes);

let buyers = 0;
async function buy(slug: string, paymentMethod: string, of = handle): Promise<string> {
  const email = `buyer-${++buyers}@example.com`;
  const checkout = await openCheckout(cluster.baseUrl, { handle: of, slug, email });
  return (await checkout.call('POST', '/pay', { paymentMethod })).json.status;
}
const order = (): Promise<string> =>
  placeOrder(seller, { productSlug: 'course', email: `buyer-${++buyers}@example.com` });
const runDaily = () =>
  call(cluster.baseUrl, 'POST', '/api/cron/daily', { headers: { authorization: `Bearer ${platformKey}` } });
const on = (service: ServiceName, sql: string, values: unknown[] = []) =>
  query(cluster.databaseUrl(service), sql, values);
const lock = async (unlock: Promise<() => Promise<void>>): Promise<void> => void locks.push(await unlock);

let healthy: ScrapedPage;

test.runIf(hasPromtool)(
  'no alert fires of a platform that works, with a payment whose answer was lost just now',
  async () => {
    expect([await buy('course', 'sim_ok'), await buy('course', 'sim_timeout_before')]).toEqual(['paid', 'processing']);
    await order();
    expect((await runDaily()).status).toBe(200);
    // Each paid order's webhook, and its two emails.
    await attempted(seller.accountId, 6);
    healthy = await scraped(30);
    expectFiring([healthy], []);
  },
);

test.runIf(hasPromtool)('what fails, is late, differs or is lost fires its alert, and no other', async () => {
  await loseAnEvent();
  await failToDeliver();
  await failAtEvents();
  await differInBooks();
  // What fails now fails again, so that rates rise.
  for (let n = 0; n < 3; n++) expect(await buy('course', 'sim_timeout_before')).toBe('processing');
  const first = await scraped(1);
  for (let n = 0; n < 3; n++) expect(await buy('course', 'sim_timeout_before')).toBe('processing');
  expect(await buy('held', 'sim_ok')).toBe('authorized');
  await failAtEventsAgain();
  await failToDeliver();
  await lagBehind();
  await takeNoWrites();
  later.advance(27 * hourMs);
  await timePasses(rereadAfterMs);
  expectFiring(
    [healthy, first, await scraped(40)],
    [
      ...['ConsumerLags', 'EventsFail', 'EventsGivenUp', 'EventLost', 'ConservationNotProved'],
      ...['PaymentsUnknown', 'HoldsOverdue', 'ProcessorFails', 'DailyJobMissing', 'BooksDiffer', 'DailyJobFailed'],
      'ChargingStopped',
      ...['WebhooksWait', 'WebhooksFail', 'EmailsWait'],
    ],
  );
});

test.runIf(hasPromtool)(
  'by its runbook an event that was given up is listed with its reason, and takes effect once the cause is gone',
  async () => {
    const events = (...args: string[]) => cluster.command('metrics', 'events', ...args);
    await unlockInbox();
    expect(await events('list', '--payload')).toMatch(/evt_\S+ {2}evt\.checkout\.order\.paid\.v1 {2}.*of_the_test/);
    await on('metrics', 'alter table inbox drop constraint of_the_test');
    await events('replay');
    expect(await events('count')).toBe('metrics: 0 dead letters\n');
  },
);

test.runIf(hasPromtool)('by its runbook an event whose row is lost is taken from the stream again', async () => {
  const run = (sql: string) => on('webhook-dispatcher', sql);
  await unlockEndpoints();
  const [unexplained = '', whichEvent = '', forget = '', explain = ''] = queriesOf('EventLost');
  const [lost] = await run(unexplained);
  expect(lost).toMatchObject({ account_id: seller.accountId, sequence: '2' });
  expect(await run(whichEvent)).toContainEqual(expect.objectContaining({ event_id: lostEventId }));
  await run(forget.replaceAll('evt_…', lostEventId));
  const since = new Date(Date.now() - hourMs).toISOString();
  await cluster.command('webhook-dispatcher', 'events', 'replay-stream', '--since', since);
  expect(await run(`select from events where id = '${lostEventId}'`)).toHaveLength(1);
  await run(explain.replace('acc_…', seller.accountId).replace('= 0', '= 2'));
  expect(await run(unexplained)).toEqual([]);
});

test.runIf(hasPromtool)(
  'without nats-server events wait and requests fail; a service without figures is an alert of its own',
  async () => {
    await cluster.nats.kill();
    await on(
      'checkout',
      `insert into outbox (event_id, subject, payload, created_at)
     select event_id || 'again', subject, payload, now() - interval '3 minutes' from outbox
     where id = (select min(id) from outbox)`,
    );
    const failed = async () => (await seller.call('GET', '/api/v1/orders')).status;
    expect(await failed()).toBe(503);
    await timePasses(rereadAfterMs);
    const down = await scraped(30);
    for (let n = 0; n < 3; n++) expect(await failed()).toBe(503);
    const again = await scraped(30);
    const only = (page: ScrapedPage, isShown: (line: string) => boolean) => ({
      ...page,
      text: page.text.split('\n').filter(isShown).join('\n'),
    });
    const ofThem = (line: string) => /^(http_server|outbox|build_info)/.test(line);
    expectFiring(
      [only(down, ofThem), only(again, ofThem)],
      ['NothingIsPublished', 'RequestsFail', 'RequestsFailSlowly'],
    );
    expectFiring([only(healthy, (line) => !line.includes('service_name="billing"'))], ['NoFigures']);
  },
);

test.each(queriesIn(runbooks))('a query of a runbook works on the database %s: %s', async (database, sql) => {
  expect(await on(database.replaceAll('_', '-') as ServiceName, sql)).toBeInstanceOf(Array);
});

/** As after a disk that lost a block: the dispatcher's event is gone, the stream's is there. */
async function loseAnEvent(): Promise<void> {
  const lost = 'delete from events where account_id = $1 and sequence = 2 returning id';
  const [row] = await query<{ id: string }>(cluster.databaseUrl('webhook-dispatcher'), lost, [seller.accountId]);
  lostEventId = row?.id ?? '';
  await announced(conservationProved, () => true, 1);
}

async function failToDeliver(): Promise<void> {
  receiver.respondWith(() => ({ status: 500, headers: { 'retry-after': '3600' } }));
  server.behaviour.MAIL = '451 later';
  const { announced: fromNow } = listen();
  await order();
  await fromNow(
    attemptsRecorded,
    ({ attempts }) => attempts.some(({ accountId }) => accountId === seller.accountId),
    2,
  );
}

/** A fault of ours: metrics cannot store what it makes of an event, however often it attempts it. */
async function failAtEvents(): Promise<void> {
  const { announced: fromNow } = listen();
  await on('metrics', 'alter table inbox add constraint of_the_test check (event_id is null) not valid');
  for (let n = 0; n < 3; n++) await order();
  await fromNow(eventsSentBack, ({ service }) => service === 'metrics', 3);
}

/** The last of its attempts is next: it is given up. */
async function failAtEventsAgain(): Promise<void> {
  const { announced: fromNow } = listen();
  // Each at once: what was attempted before is again after pauses that grow.
  for (let n = 0; n < 6; n++) await order();
  await fromNow(eventsSentBack, ({ service }) => service === 'metrics', 6);
  await on('metrics', 'update event_attempts set attempts = 11');
  await fromNow(eventsGivenUp, ({ service }) => service === 'metrics');
}

/** As after a restore: the processor has a charge under an id of ours that billing does not know, and a renewal is due. */
async function lackASale(): Promise<void> {
  const own = (await lacking.call('GET', '/api/v1/settings')).json.handle;
  expect(await buy('club', 'sim_ok', own)).toBe('paid');
  await handled('billing', orderPaid, (_, accountId) => accountId === lacking.accountId);
  await on(
    'billing',
    `insert into simulated_processor.entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency, order_id,
       parameters, recorded_at)
     select account_id, test, $2, reference || '-lacking', kind, status, amount_cents, currency, $3, parameters, recorded_at
     from simulated_processor.entries where account_id = $1`,
    [lacking.accountId, newId('payment', Date.now()), newId('order', Date.now())],
  );
  await on('billing', 'update subscriptions set next_charge_at = now() where account_id = $1', [lacking.accountId]);
}

/** The processor's books lack what billing has, or have what it lacks, and checkout's database does not answer. */
async function differInBooks(): Promise<void> {
  await lackASale();
  await on('billing', 'delete from simulated_processor.entries where account_id = $1', [seller.accountId]);
  // The first comparison of a day reads all of the days before.
  later.advance(25 * hourMs);
  const unlock = await lockTable(cluster.databaseUrl('checkout'), 'orders', 'access exclusive');
  const { problems } = (await runDaily()).json;
  await unlock();
  const codes = problems.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['orders_not_compared', 'orphans_found', 'charging_stopped']));
}

/** More than metrics takes at once, while its database takes nothing. */
async function lagBehind(): Promise<void> {
  unlockInbox = await lockTable(cluster.databaseUrl('metrics'), 'inbox');
  locks.push(unlockInbox);
  const observer = await connectObserver(cluster.nats);
  const occurredAt = new Date().toISOString();
  const data = {
    ...{ productId: newId('product', Date.now()), productName: 'Course', pricingType: 'onetime' },
    ...{ visitedAt: occurredAt, test: false },
  };
  for (let n = 0; n < 11_500; n++) {
    const event = { id: newId('event', Date.now()), accountId: seller.accountId, occurredAt, data };
    observer.publish(checkoutVisited.subject, JSON.stringify(event));
  }
  await observer.close();
}

/** A day on which the databases of money and deliveries take no writes. */
async function takeNoWrites(): Promise<void> {
  const dispatcher = cluster.databaseUrl('webhook-dispatcher');
  unlockEndpoints = await lockRows(dispatcher, 'endpoints', seller.accountId);
  locks.push(unlockEndpoints);
  // Before it is looked up, which shows that nothing was charged.
  expect(await buy('course', 'sim_timeout_before')).toBe('processing');
  for (const table of ['payments', 'holds']) await lock(lockTable(cluster.databaseUrl('billing'), table));
  // At once: the next proof is a second away.
  await on(
    'webhook-dispatcher',
    `update conservation set proved_at = proved_at - interval '10 minutes';
     alter table conservation add constraint of_the_test check (proved_at < now() - interval '5 minutes') not valid`,
  );
}
