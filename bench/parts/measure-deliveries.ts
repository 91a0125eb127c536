import { setTimeout as sleep } from 'node:timers/promises';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { startBareSender } from '../floor/start-bare-sender.ts';
import type { Infra } from '../infra.ts';
import { publishEvents } from '../load/publish-events.ts';
import { type Sink, startSink } from '../load/start-sink.ts';
import { type CpuUse, cpuBetween, readCpu } from '../measure/cpu.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import type { Lengths } from '../options.ts';
import { connectAccounts, createDispatcher, type Dispatcher } from '../platform/start-dispatcher.ts';
import type { ProcessGroups } from '../system.ts';
import { type Disturbance, measureBadEndpoints, measureRecovery } from './measure-fresh-deliveries.ts';

/** What one process delivers and records, beside undici alone to the same sink. */
export interface DeliveriesResult {
  /** Requests at once, of both. */
  readonly concurrency: number;
  readonly sources: SourceResult[];
  readonly disturbances: Disturbance[];
}

export interface SourceResult extends Source {
  readonly floor: DeliveryRate[];
  /** The floor with a row for each request, many in a statement. */
  readonly recordedFloor: DeliveryRate[];
  readonly platform: DeliveryRate[];
  /** Platform over floor; each round's own. */
  readonly ratios: number[];
}

export interface DeliveryRate {
  readonly deliveries: number;
  readonly perSecond: number;
  readonly cpu: CpuUse;
}

interface Source {
  /** `events`: they wait on the stream. `backlog`: their deliveries wait in the database. */
  readonly source: 'events' | 'backlog';
  /** Endpoints of each account, all of which take every event. */
  readonly fanOut: number;
}

interface Bench {
  readonly infra: Infra;
  readonly dispatcher: Dispatcher;
  readonly sink: Sink;
}

const sources: readonly Source[] = [
  { source: 'events', fanOut: 1 },
  { source: 'backlog', fanOut: 1 },
  { source: 'events', fanOut: 10 },
];
/** services/webhook-dispatcher/src/deliveries/capacity.rules.ts: requests in flight to quick endpoints. */
const concurrency = 128;
const accounts = 20;
/** The first part is not counted: V8 compiles what is hot, and connections are made. */
const warmUpShare = 0.25;
const checkEveryMs = 20;
const deliveredWithinMs = 300_000;

export async function measureDeliveries(infra: Infra, lengths: Lengths): Promise<DeliveriesResult> {
  await using stack = new AsyncDisposableStack();
  const sink = await startSink();
  stack.defer(() => sink.stop());
  const bench: Bench = { infra, sink, dispatcher: await createDispatcher(infra, stack) };
  const results: SourceResult[] = [];
  for (const source of sources) {
    await bench.dispatcher.start();
    const accountIds = await connectAccounts(bench.dispatcher, accounts, urlsOf(bench, source));
    await bench.dispatcher.stop();
    const result: SourceResult = { ...source, floor: [], recordedFloor: [], platform: [], ratios: [] };
    for (let round = 0; round < lengths.rounds; round++) {
      const bare = await measureFloor(bench, lengths.warmUp, null);
      result.recordedFloor.push(await measureFloor(bench, lengths.warmUp, bench.dispatcher.databaseUrl));
      const ours = await measureSource(bench, source, accountIds, lengths.deliveries);
      result.floor.push(bare);
      result.platform.push(ours);
      result.ratios.push(ours.perSecond / bare.perSecond);
    }
    results.push(result);
  }
  const length = { rounds: lengths.rounds, seconds: lengths.disturbance };
  const disturbances = [
    await measureBadEndpoints(bench.dispatcher, sink, length),
    await measureRecovery(bench.dispatcher, sink, { ...length, recovered: lengths.recovered }),
  ];
  return { concurrency, sources: results, disturbances };
}

const urlsOf = ({ sink }: Bench, { fanOut }: Source): string[] =>
  Array.from({ length: fanOut }, (_, number) => `${sink.url}/ok/${number}`);

const groupsOf = ({ infra, sink }: Bench, pid: number): ProcessGroups => ({
  node: [pid],
  postgres: infra.postgres.pid,
  nats: [infra.nats.pid],
  receiver: [sink.pid],
});

/** Body and headers of the size of a webhook's. */
const bareRequest = {
  body: JSON.stringify({ event: 'order.paid', filler: 'x'.repeat(450) }),
  headers: {
    'content-type': 'application/json',
    'user-agent': 'funnelry-webhooks/1',
    'x-service-event': 'order.paid',
    'webhook-id': 'evt_01kbench0000000000000000000',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${'x'.repeat(44)}`,
  },
};

async function measureFloor(bench: Bench, seconds: number, databaseUrl: string | null): Promise<DeliveryRate> {
  await waitUntilQuiet();
  const plan = { url: `${bench.sink.url}/ok`, ...bareRequest, concurrency, warmUpSeconds: 2, seconds, databaseUrl };
  const sender = await startBareSender(plan);
  const before = readCpu(groupsOf(bench, sender.pid));
  const { sent, failed, seconds: elapsed } = await sender.result;
  const cpu = cpuBetween(before, readCpu(groupsOf(bench, sender.pid)), sent);
  await sender.stop();
  if (failed > 0) throw new Error(`${failed} bare requests were not answered with 200`);
  return { deliveries: sent, perSecond: sent / elapsed, cpu };
}

/** A new process finds all its work waiting; what it records after its warm-up is counted until all is recorded. */
async function measureSource(
  bench: Bench,
  { source, fanOut }: Source,
  accountIds: readonly string[],
  deliveries: number,
): Promise<DeliveryRate> {
  const { dispatcher, sink } = bench;
  const count = Math.ceil(deliveries / fanOut);
  if (source === 'events') await publishEvents({ ...dispatcher.nats, accountIds, count, perSecond: null });
  else await storeBacklog(bench, accountIds, count);
  await dispatcher.database.query('vacuum analyze');
  await sink.reset();
  await waitUntilQuiet();
  const recordedBefore = await countAttempts(bench);
  await dispatcher.start();
  await untilReceived(bench, count * fanOut * warmUpShare);
  const recordedAtStart = await countAttempts(bench);
  const startedMs = performance.now();
  const before = readCpu(groupsOf(bench, dispatcher.pid));
  await untilReceived(bench, count * fanOut);
  await untilRecorded(bench);
  const seconds = (performance.now() - startedMs) / 1_000;
  const recorded = (await countAttempts(bench)) - recordedAtStart;
  const cpu = cpuBetween(before, readCpu(groupsOf(bench, dispatcher.pid)), recorded);
  await dispatcher.stop();
  const all = recordedAtStart + recorded - recordedBefore;
  if (all !== count * fanOut) throw new Error(`${count * fanOut} deliveries and ${all} attempts`);
  return { deliveries: recorded, perSecond: recorded / seconds, cpu };
}

/** Stored while their endpoints are off, so that they wait; then released by hand, all at once. */
async function storeBacklog(bench: Bench, accountIds: readonly string[], count: number): Promise<void> {
  const { dispatcher } = bench;
  const [url = ''] = urlsOf(bench, { source: 'backlog', fanOut: 1 });
  await dispatcher.start();
  for (const accountId of accountIds)
    await dispatcher.request(putWebhookEndpoint, accountId, { body: { url, active: false } });
  await publishEvents({ ...dispatcher.nats, accountIds, count, perSecond: null });
  await until(async () => (await countLive(bench, 'held')) >= count);
  await dispatcher.stop();
  await dispatcher.database.query('update endpoints set active = true where account_id = any($1)', [accountIds]);
  await dispatcher.database.query(
    `update deliveries set status = 'pending', next_attempt_at = now() where status = 'held'`,
  );
}

async function untilReceived({ sink }: Bench, deliveries: number): Promise<void> {
  await until(async () => (await sink.count()) >= deliveries);
}

async function untilRecorded(bench: Bench): Promise<void> {
  await until(async () => (await countLive(bench, 'pending', 'sending')) === 0);
}

async function countLive({ dispatcher }: Bench, ...statuses: string[]): Promise<number> {
  const { rows } = await dispatcher.database.query<{ count: number }>(
    'select count(*)::int as count from deliveries where status = any($1)',
    [statuses],
  );
  return rows[0]?.count ?? Number.NaN;
}

async function countAttempts({ dispatcher }: Bench): Promise<number> {
  const { rows } = await dispatcher.database.query<{ count: number }>('select count(*)::int as count from attempts');
  return rows[0]?.count ?? Number.NaN;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedMs > deliveredWithinMs) throw new Error('The deliveries do not end');
    await sleep(checkEveryMs);
  }
}
