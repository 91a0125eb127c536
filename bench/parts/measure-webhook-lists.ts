import type { RequestDefinition, RequestInput } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import { listActivity, listDeliveries, listEvents } from '@app/contracts/webhook-deliveries';
import { addMonths, type LongHistory } from '@app/testing/webhook-history';
import { makePartition, partitionsOf } from '@app/webhook-dispatcher/partitions';
import type { Infra } from '../infra.ts';
import { type CpuUse, cpuBetween, readCpu } from '../measure/cpu.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { median } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import { createDispatcher, type Dispatcher } from '../platform/start-dispatcher.ts';

/** Pages of the seller who has little, and of the one who has much. */
export interface WebhookListsResult {
  readonly few: number;
  readonly many: number;
  readonly pages: PageTimes[];
  readonly cpu: { readonly few: CpuUse; readonly many: CpuUse };
}

export interface PageTimes {
  readonly list: string;
  readonly filter: string;
  /** Medians. */
  readonly fewMs: number;
  readonly manyMs: number;
  readonly ratio: number;
}

interface Page {
  readonly list: string;
  readonly filter: string;
  read(dispatcher: Dispatcher, of: LongHistory): Promise<number>;
}

/** Both sellers have so many rows for each filter but the order's, so that a page of both is as long. */
const limit = 10;
/** Ten for each filter, in each of 13 months. */
const few = 13 * limit * 10;
const readsEach = 30;
const warmUpReads = 8;
const rounds = 2;

/**
 * Pages of every list and filter, of a seller with many deliveries and of one with few, requested as the gateway does, one
 * after the other. Both histories are written into the database and lie in the same tables.
 */
export async function measureWebhookLists(infra: Infra, deliveries: Lengths['history']): Promise<WebhookListsResult> {
  await using stack = new AsyncDisposableStack();
  const dispatcher = await createDispatcher(infra, stack, 'bench_webhook_lists');
  await dispatcher.start();
  const sellers = await fill(dispatcher, deliveries);
  const groups = { node: [dispatcher.pid], postgres: infra.postgres.pid, nats: [infra.nats.pid] };
  const times = new Map<Page, { few: number[]; many: number[] }>(pages.map((page) => [page, { few: [], many: [] }]));
  for (const seller of [sellers.few, sellers.many])
    for (const page of pages) await readOften(dispatcher, page, seller, warmUpReads);
  const cpu = { few: [] as CpuUse[], many: [] as CpuUse[] };
  for (let round = 0; round < rounds; round++)
    for (const side of ['few', 'many'] as const) {
      await waitUntilQuiet();
      const before = readCpu(groups);
      for (const [page, found] of times)
        found[side].push(...(await readOften(dispatcher, page, sellers[side], readsEach)));
      cpu[side].push(cpuBetween(before, readCpu(groups), readsEach * times.size));
    }
  return {
    few,
    many: deliveries,
    pages: [...times].map(([{ list, filter }, found]) => {
      const [fewMs, manyMs] = [median(found.few), median(found.many)];
      return { list, filter, fewMs, manyMs, ratio: manyMs / fewMs };
    }),
    cpu: { few: cheaper(cpu.few), many: cheaper(cpu.many) },
  };
}

async function readOften(dispatcher: Dispatcher, page: Page, of: LongHistory, reads: number): Promise<number[]> {
  const ms: number[] = [];
  for (let read = 0; read < reads; read++) ms.push(await page.read(dispatcher, of));
  return ms;
}

/** Of two rounds the one with less of the machine's other work in it. */
const cheaper = (uses: readonly CpuUse[]): CpuUse =>
  uses.toSorted((a, b) => a.foreignPercent - b.foreignPercent)[0] as CpuUse;

async function fill({ database }: Dispatcher, deliveries: number): Promise<{ few: LongHistory; many: LongHistory }> {
  const query = (text: string, values: unknown[] = []) => database.query(text, values);
  const cover = async (ids: readonly string[]): Promise<void> => {
    for (const partition of ids.flatMap(partitionsOf)) {
      const { rows } = await query('select to_regclass($1) is not null as made', [partition.name]);
      if (rows[0]?.made !== true) await database.query(makePartition(partition));
    }
  };
  const store = { query, cover, nowMs: Date.now() };
  const sellers = { many: await addMonths(store, deliveries), few: await addMonths(store, few, limit) };
  await query('vacuum (analyze)');
  return sellers;
}

function pageOf<R extends RequestDefinition>(
  list: string,
  definition: R,
  filter: string,
  queryOf: (of: LongHistory) => object,
): Page {
  const read = async (dispatcher: Dispatcher, of: LongHistory): Promise<number> => {
    const input = { limit, ...queryOf(of) } as RequestInput<R>;
    const beganMs = performance.now();
    await dispatcher.request(definition, of.account, input);
    return performance.now() - beganMs;
  };
  return { list, filter, read };
}

type Filters = readonly (readonly [string, (of: LongHistory) => object])[];

const eventAndEndpoint: Filters = [
  ['event that few are', () => ({ event: 'affiliate.paid' })],
  ['endpoint', ({ busy }) => ({ endpointId: busy })],
  ['endpoint and event that few are', ({ busy }) => ({ endpointId: busy, event: 'affiliate.paid' })],
];
const sale: Filters = [
  ['order', ({ orderId }) => ({ orderId })],
  ['buyer', ({ email }) => ({ email })],
];
const deliveryFilters: Filters = [
  ['none', () => ({})],
  ['status that nearly all have', () => ({ status: 'delivered' })],
  ['status that few have', () => ({ status: 'failed' })],
  ['status of what waits', () => ({ status: 'held' })],
  ['event that nearly all are', () => ({ event: 'order.paid' })],
  ...eventAndEndpoint,
  ['endpoint and event that nearly all are', ({ busy }) => ({ endpointId: busy, event: 'order.paid' })],
  ['endpoint and status that few have', ({ narrow }) => ({ endpointId: narrow, status: 'delivered' })],
  ...sale,
  ['times', () => ({ to: new Date(Date.now() - 200 * dayMs).toISOString() })],
];
const activityFilters: Filters = [
  ['none', () => ({})],
  ['delivered', () => ({ status: 'delivered' })],
  ['failed', () => ({ status: 'failed' })],
  ['notices', () => ({ status: 'notice' })],
  ...eventAndEndpoint,
  ['endpoint that few went to', ({ narrow }) => ({ endpointId: narrow })],
  ...sale,
];

const pages: readonly Page[] = [
  ...deliveryFilters.map(([filter, queryOf]) => pageOf('deliveries', listDeliveries, filter, queryOf)),
  ...activityFilters.map(([filter, queryOf]) => pageOf('activity', listActivity, filter, queryOf)),
  pageOf('events', listEvents, 'from the first', () => ({})),
];
