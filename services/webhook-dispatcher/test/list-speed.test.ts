import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { addMonths, type LongHistory } from '@app/testing/webhook-history';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listActivity } from '../src/activity/list-activity.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { listDeliveries } from '../src/history/list-deliveries.ts';
import { listEvents } from '../src/history/list-events.ts';
import { type Harness, startHarness } from './harness.ts';
import { costOf, planModes } from './read-cost.ts';

guardLeaks();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
let harness: Harness;
let database: Database;
let long: LongHistory;
beforeAll(async () => {
  harness = await startHarness();
  database = await openDatabase(databaseOptions(harness.env.DATABASE_URL));
  const store = {
    query: harness.query,
    cover: (ids: readonly string[]) => harness.partitions.cover(ids),
    nowMs: harness.clock.nowMs(),
  };
  long = await addMonths(store, 40_000);
  await addMonths(store, 10);
  await harness.query('analyze');
});
afterAll(async () => {
  await database.close();
  await harness.close();
});

const pageRows = 101;
const partitions = 15;
/** Of deliveries: seven statuses of eleven events. */
const ranges = 77;

const of = (list: (database: Database, accountId: string, query: object) => Promise<unknown>, query: object) =>
  ((requested) => list(requested, long.account, query)) as (requested: Database) => Promise<unknown>;

const deliveryFilters = (): [string, object][] => [
  ['every delivery', {}],
  ['a status that nearly all have', { status: 'delivered' }],
  ['a status that few have', { status: 'failed' }],
  ['a status of what waits', { status: 'held' }],
  ['a status that none has', { status: 'canceled' }],
  ['an event that nearly all are', { event: 'order.paid' }],
  ['an event that few are', { event: 'affiliate.paid' }],
  ['an event that none is', { event: 'subscription.paused' }],
  ['a busy endpoint', { endpointId: long.busy }],
  ['an endpoint that few were delivered to', { endpointId: long.narrow, status: 'delivered' }],
  ['an endpoint that is not there', { endpointId: newId('webhookEndpoint', harness.clock.nowMs()) }],
  ['a status and an event that few have', { status: 'failed', event: 'affiliate.paid' }],
  ['a busy endpoint and an event that few are', { endpointId: long.busy, event: 'affiliate.paid' }],
  ['a busy endpoint and an event that nearly all are', { endpointId: long.busy, event: 'order.paid' }],
  ['an endpoint and an event that none is', { endpointId: long.narrow, event: 'subscription.paused' }],
  ['an order', { orderId: long.orderId }],
  ['an order that is not there', { orderId: newId('order', harness.clock.nowMs()) }],
  ['the address that all have', { email: long.email }],
  ['an address that none has', { email: 'unknown@example.com' }],
  ['times before the first', { to: '2020-01-01T00:00:00.000Z' }],
];

test('a page of deliveries reads as many rows as it has, of each range that it wants, however it is narrowed', async () => {
  for (const mode of planModes)
    for (const [what, filter] of deliveryFilters()) {
      const { rows, locks } = await costOf(database, mode, of(listDeliveries, filter));
      const read = { mode, what, rows, locks };
      // For each row of the page: its event, its endpoint, that endpoint's failures, its last attempt.
      expect(read).toEqual({ ...read, rows: expect.toSatisfy((n: number) => n <= pageRows * 7 + ranges * partitions) });
      expect(read).toEqual({ ...read, locks: expect.toSatisfy((n: number) => n < 300) });
    }
});

test('a page of Recent activity reads as many rows as it has, of each range that it wants, however it is narrowed', async () => {
  const filters: [string, object][] = [
    ['everything', {}],
    ['what was delivered', { status: 'delivered' }],
    ['what failed', { status: 'failed' }],
    ['notices', { status: 'notice' }],
    ['an event that few are', { event: 'affiliate.paid' }],
    ['an event that none is', { event: 'subscription.paused' }],
    ['a busy endpoint', { endpointId: long.busy }],
    ['what failed at a busy endpoint', { endpointId: long.busy, status: 'failed' }],
    ['an endpoint that few went to', { endpointId: long.narrow }],
    ['a busy endpoint and an event that few are', { endpointId: long.busy, event: 'affiliate.paid' }],
    ['a busy endpoint and an event that nearly all are', { endpointId: long.busy, event: 'order.paid' }],
    ['an endpoint and an event that none is', { endpointId: long.narrow, event: 'subscription.paused' }],
    ['an order', { orderId: long.orderId }],
    ['the address that all have', { email: long.email }],
    ['an address that none has', { email: 'unknown@example.com' }],
  ];
  for (const mode of planModes)
    for (const [what, filter] of filters) {
      const { rows, locks } = await costOf(database, mode, of(listActivity, filter));
      const read = { mode, what, rows, locks };
      expect(read).toEqual({ ...read, rows: expect.toSatisfy((n: number) => n <= pageRows * 5 + ranges * partitions) });
      expect(read).toEqual({ ...read, locks: expect.toSatisfy((n: number) => n < 300) });
    }
});

test('an endpoint and an event are found together, whether the event is of few or of many', async () => {
  for (const [event, status] of [
    ['affiliate.paid', undefined],
    ['order.paid', undefined],
    ['order.paid', 'failed'],
  ] as const) {
    const query = { endpointId: long.busy, event, ...(status !== undefined && { status }), limit: 20 };
    const wanted = { event, endpoint_id: long.busy, ...(status !== undefined && { status }) };
    for (const list of [listDeliveries, listActivity]) {
      const first = await list(database, long.account, query);
      const next = await list(database, long.account, { ...query, before: first.data.at(-1)?.id as string });
      const found = [...first.data, ...next.data];
      expect(found).toEqual(Array(40).fill(expect.objectContaining(wanted)));
      const ids = found.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    }
  }
});

test('a page of the log reads as many rows as it has, wherever it begins', async () => {
  const [row] = await harness.query<{ id: string }>(
    'select id from events where account_id = $1 and sequence = 30000',
    [long.account],
  );
  for (const mode of planModes)
    for (const query of [{}, { after: row?.id }, { order: 'desc' }, { order: 'desc', before: row?.id }] as const) {
      const { rows } = await costOf(database, mode, of(listEvents, query));
      expect(rows).toBeLessThan(pageRows * 3 + partitions);
    }
});
