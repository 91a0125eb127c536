import { createAutomation } from '@app/contracts/automations';
import type { RequestInput } from '@app/contracts/define';
import { funnelEmailSynced } from '@app/contracts/funnels';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { listEvents } from '@app/contracts/webhook-deliveries';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { type Database, openDatabase } from '@app/service-kit/database';
import { createArrivals } from '@app/testing/arrivals';
import { startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { holdTransaction } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import type { OutgoingEvent } from '../src/events/outgoing-event.ts';
import { storeEventFor, storeEvents } from '../src/events/store-events.ts';
import { attempted, type Harness, startHarness, stored } from './harness.ts';
import { allDeliveries, anOrder, connectedAccount } from './orders.ts';
import { storing } from './storing.ts';

guardLeaks();
vi.setConfig({ testTimeout: 60_000 });
let harness: Harness;
/** The connections of two processes that write. */
let writers: Database[];
beforeAll(async () => {
  harness = await startHarness();
  writers = await Promise.all([1, 2].map(() => openDatabase(databaseOptions(harness.env.DATABASE_URL))));
});
afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.close()));
  await harness.close();
});

const publish = (account: string) => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));
interface Row {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly status: string;
  readonly reason: string | null;
}
const deliveries = (account: string) =>
  harness.query<Row>(`select * from ${allDeliveries} where account_id = $1 order by id`, [account]);
const events = (account: string) =>
  harness.query<{ id: string; sequence: number | null; delivery_ids: string[]; endpoint_ids: string[] }>(
    'select id, sequence, delivery_ids, endpoint_ids from events where account_id = $1 order by sequence, id',
    [account],
  );
const outgoing = (accountId: string): OutgoingEvent => ({
  ...{ id: newId('event', harness.clock.nowMs()), accountId, name: 'order.paid', orderId: null, email: null },
  ...{ productId: null, test: false, priority: 0, body: '{}', traceparent: null },
  occurredAt: harness.clock.now().toISOString(),
});
async function addEndpoint(account: string, row: object): Promise<string> {
  const id = newId('webhookEndpoint', harness.clock.nowMs());
  const made = { description: '', version: 1, created_at: 'now', updated_at: 'now' };
  const columns =
    'id, account_id, role, url, secret, events, product_id, active, description, version, created_at, updated_at';
  await harness.query(
    `insert into endpoints (${columns}) select ${columns} from json_populate_record(null::endpoints, $1::json)`,
    [JSON.stringify({ id, account_id: account, ...made, ...row })],
  );
  return id;
}

test('the log is read backwards from the newest, page by page, and a position goes with its own order alone', async () => {
  const account = harness.account();
  const [writer] = writers as [Database];
  await writer.transaction(async (client) => {
    await storeEvents(
      storing(harness),
      Array.from({ length: 5 }, () => outgoing(account)),
      client,
      () => {},
    );
  });
  const page = (query: RequestInput<typeof listEvents>) => harness.request(listEvents, account, query);
  const numbers = ({ data }: { data: readonly { sequence: number }[] }) => data.map(({ sequence }) => sequence);
  const first = await page({ order: 'desc', limit: 2 });
  expect([numbers(first), first.has_more]).toEqual([[5, 4], true]);
  const rest = await page({ order: 'desc', before: first.data[1]?.id as string });
  expect([numbers(rest), rest.has_more]).toEqual([[3, 2, 1], false]);
  expect(numbers(await page({ order: 'asc' }))).toEqual([1, 2, 3, 4, 5]);
  const [newest] = first.data;
  for (const [field, query] of [
    ['before', { before: newest?.id as string }],
    ['after', { order: 'desc', after: newest?.id as string }],
    ['before', { order: 'desc', before: newId('event', 1) }],
  ] as const)
    await expect(page(query)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field }] });
});

test('numbers of events are in the order of commits, without gaps, and a reader who has seen one never finds a smaller one later', async () => {
  const accounts = [harness.account(), harness.account(), harness.account()];
  const seen = new Map<string, string[]>(accounts.map((account) => [account, []]));
  const reads = createArrivals<true>();
  const read = async () => {
    for (const account of accounts) {
      const ids = seen.get(account) as string[];
      for (let more = true; more; ) {
        const after = ids.at(-1);
        const page = await harness.request(listEvents, account, { limit: 3, ...(after !== undefined && { after }) });
        expect(page.data.map((event) => event.sequence)).toEqual(page.data.map((_, n) => ids.length + 1 + n));
        ids.push(...page.data.map((event) => event.id));
        more = page.has_more;
      }
    }
    reads.push(true);
  };
  const batches = 15;
  const write = async (writer: Database, accountsOfWriter: readonly string[]) => {
    for (let n = 0; n < batches; n += 1)
      await holdTransaction(writer, async (client) => {
        await storeEvents(
          storing(harness),
          accountsOfWriter.flatMap((account) => [outgoing(account), outgoing(account)]),
          client,
          () => {},
        );
        // Commits late: the reader checks at least once between.
        await reads.wait(1, { from: reads.list.length });
      });
  };
  let writing = true;
  const reading = (async () => {
    while (writing) await read();
    await read();
  })();
  await Promise.all(writers.map((writer, n) => write(writer, n === 0 ? accounts : accounts.toReversed())));
  writing = false;
  await reading;
  for (const account of accounts) expect(new Set(seen.get(account)).size).toBe(2 * batches * 2);
});

test('two replicas that store events of one account number them without gaps', async () => {
  const account = harness.account();
  const other = await harness.start();
  const ids = await Promise.all(Array.from({ length: 60 }, () => publish(account)));
  for (const id of ids) await stored(id);
  const numbered = await events(account);
  expect(numbered.map((event) => event.sequence)).toEqual(ids.map((_, n) => n + 1));
  expect(numbered.map((event) => event.id).sort()).toEqual(ids.sort());
  await other.close();
});

test('an event of an account that never had a URL is stored with its body, and held for the first URL', async () => {
  const account = harness.account();
  const ids = [await publish(account), await publish(account)];
  for (const id of ids) await stored(id);
  const held = await deliveries(account);
  expect(held).toMatchObject(ids.map((id) => ({ event_id: id, status: 'held' })));
  const [endpoint, ...others] = await harness.query<{ id: string }>(
    'select id, role, url, secret, active from endpoints where account_id = $1',
    [account],
  );
  expect(endpoint).toMatchObject({ role: 'primary', url: null, secret: null, active: false });
  expect(others).toEqual([]);
  expect(new Set(held.map((row) => row.endpoint_id))).toEqual(new Set([endpoint?.id]));
  expect(await events(account)).toMatchObject(
    ids.map((id, n) => ({ id, sequence: n + 1, delivery_ids: [held[n]?.id], endpoint_ids: [endpoint?.id] })),
  );
  const bodies = await harness.query<{ body: string }>('select body from event_bodies where account_id = $1', [
    account,
  ]);
  expect(bodies.map(({ body }) => JSON.parse(body).event)).toEqual(['order.paid', 'order.paid']);
  const connected = await harness.request(putWebhookEndpoint, account, { body: { url: 'http://127.0.0.1:2/' } });
  expect(connected).toMatchObject({ id: endpoint?.id, active: true, secret: expect.stringMatching(/^whsec_/) });
  expect((await deliveries(account)).map((row) => row.status)).toEqual(['held', 'held']);
});

test('first events of an account that two processes store at once make one endpoint', async () => {
  const account = harness.account();
  await Promise.all(
    [...writers, ...writers].map((writer) =>
      writer.transaction((client) => storeEvents(storing(harness), [outgoing(account)], client, () => {})),
    ),
  );
  expect(await harness.query('select from endpoints where account_id = $1', [account])).toHaveLength(1);
  expect((await deliveries(account)).map((row) => row.status)).toEqual(Array(4).fill('held'));
});

test('an event that the filter of an endpoint does not take is filtered, finished at once and never sent', async () => {
  const seller = await connectedAccount(harness);
  await harness.request(putWebhookEndpoint, seller.account, {
    body: { url: seller.url, events: ['funnel.email.sync'] },
  });
  const paid = await publish(seller.account);
  await stored(paid);
  expect(await seller.statuses()).toEqual(['filtered']);
  const email = { productSlug: 's', productName: 'P', position: 1, sendDay: 0, subject: 'S', body: 'B' };
  const pushed = await harness.publish(funnelEmailSynced, seller.account, { productId: 'prd_1', ...email });
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['filtered', 'delivered']);
  expect((await deliveries(seller.account)).map(({ reason }) => reason)).toEqual(['filtered', null]);
  expect(seller.received()).toEqual([pushed]);
  expect((await events(seller.account)).map(({ id }) => id)).toEqual([paid, pushed]);
});

test('a pushed email is not held for the first URL, because its seller knows that it goes nowhere', async () => {
  const account = harness.account();
  const orders = [await publish(account), await publish(account)];
  const email = { productSlug: 's', productName: 'P', position: 1, sendDay: 0, subject: 'S', body: 'B' };
  const pushed = await harness.publish(funnelEmailSynced, account, { productId: 'prd_1', ...email });
  for (const id of [...orders, pushed]) await stored(id);
  const states = async () => (await deliveries(account)).map(({ status, reason }) => `${status} ${reason}`).toSorted();
  expect(await states()).toEqual(['filtered filtered', 'held null', 'held null']);
  const receiver = await startReceiver();
  await harness.request(putWebhookEndpoint, account, { body: { url: receiver.url, held: 'send' } });
  await attempted({ accountId: account, delivered: true }, 2);
  expect(await states()).toEqual(['delivered null', 'delivered null', 'filtered filtered']);
  expect(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(orders.toSorted());
});

test('an automation gets the events of its trigger and its product, and leaves no row for others or while it is off', async () => {
  const seller = await connectedAccount(harness);
  const order = anOrder(harness.clock.nowMs());
  const add = async (change: object) => {
    const body = {
      name: 'A',
      event: 'order.paid' as const,
      action: { type: 'post' as const, url: seller.url },
      ...change,
    };
    return (await harness.request(createAutomation, seller.account, { body })).id;
  };
  const every = await add({});
  const matching = await add({ productId: order.productId });
  await add({ productId: newId('product', harness.clock.nowMs()) });
  await add({ event: 'order.refunded' });
  await add({ active: false });
  await harness.publish(orderPaid, seller.account, order);
  await seller.delivered(3);
  expect(await seller.statuses()).toEqual(Array(3).fill('delivered'));
  const rows = await deliveries(seller.account);
  expect(rows.map((row) => row.endpoint_id).filter((id) => id.startsWith('aut_'))).toEqual([every, matching]);
  const [event] = await events(seller.account);
  expect(event?.delivery_ids).toEqual(rows.map((row) => row.id));
  expect(event?.endpoint_ids).toEqual(rows.map((row) => row.endpoint_id));
});

test('the endpoint without a URL gets nothing more once another endpoint is connected', async () => {
  const account = harness.account();
  await stored(await publish(account));
  expect(await deliveries(account)).toHaveLength(1);
  const additional = await addEndpoint(account, {
    role: 'additional',
    url: 'http://127.0.0.1:2/',
    secret: 's',
    active: false,
  });
  const id = await publish(account);
  await stored(id);
  expect(await deliveries(account)).toHaveLength(2);
  expect((await deliveries(account)).filter((row) => row.event_id === id)).toMatchObject([
    { endpoint_id: additional, status: 'held' },
  ]);
});

test('an event that was requested as a test has no number, and goes to the given endpoint whatever its filter', async () => {
  const seller = await connectedAccount(harness);
  const { id } = await harness.request(putWebhookEndpoint, seller.account, {
    body: { url: seller.url, events: ['order.refunded'] },
  });
  const event = outgoing(seller.account);
  const made = await (writers[0] as Database).transaction((client) =>
    storeEventFor(storing(harness), event, [id, 'whe_of_another'], client, () => {}),
  );
  expect(made).toHaveLength(1);
  harness.wake();
  await seller.delivered();
  expect(seller.received()).toEqual([event.id]);
  expect(await events(seller.account)).toMatchObject([{ id: event.id, sequence: null, delivery_ids: made }]);
  await stored(await publish(seller.account));
  expect((await events(seller.account)).map((row) => row.sequence)).toEqual([1, null]);
});
