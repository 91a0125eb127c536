import { setTimeout as sleep } from 'node:timers/promises';
import { cancelRecovery, recover } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { publishEvents } from '../load/publish-events.ts';
import type { Sink } from '../load/start-sink.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { median, percentile } from '../measure/statistics.ts';
import { connectAccounts, type Dispatcher } from '../platform/start-dispatcher.ts';
import type { Percentiles } from './measure-webhook-latency.ts';

/** How long fresh events take to receivers that answer, with and without something that disturbs. */
export interface Disturbance {
  readonly name: string;
  readonly eventsPerSecond: number;
  readonly calm: FreshDeliveries[];
  readonly disturbed: FreshDeliveries[];
  /** p95 disturbed over p95 calm: medians of the rounds. */
  readonly growth: number;
}

export interface FreshDeliveries extends Percentiles {
  readonly events: number;
  /** They never came. */
  readonly missing: number;
}

const eventsPerSecond = 200;
const healthyAccounts = 95;
/** With the healthy ones a hundred. */
const badAccounts = 5;
const arriveWithinMs = 10_000;

interface Length {
  readonly rounds: number;
  /** Of each run. */
  readonly seconds: number;
}

/**
 * A twentieth of the endpoints does not answer, drips its answer or refuses connections. The rate stays the same, and
 * calm and disturbed runs take turns.
 */
export async function measureBadEndpoints(dispatcher: Dispatcher, sink: Sink, length: Length): Promise<Disturbance> {
  await dispatcher.start();
  const healthy = await connectAccounts(dispatcher, healthyAccounts, [`${sink.url}/ok`]);
  const spare = await connectAccounts(dispatcher, badAccounts, [`${sink.url}/ok`]);
  const bad = [
    ...(await connectAccounts(dispatcher, 2, [`${sink.url}/dead`])),
    ...(await connectAccounts(dispatcher, 2, [`${sink.url}/drip`])),
    // Nothing listens there.
    ...(await connectAccounts(dispatcher, 1, ['http://127.0.0.1:2/'])),
  ];
  const measure = (others: readonly string[], seconds: number) =>
    measureFresh({ dispatcher, sink, accountIds: [...healthy, ...others], healthy: new Set(healthy), seconds });
  const disturbance = await alternate('5 % of the endpoints dead, dripping or refusing', length, {
    calm: (seconds) => measure(spare, seconds),
    disturbed: (seconds) => measure(bad, seconds),
  });
  await dispatcher.stop();
  return disturbance;
}

/** A recovery sends again what one account got before; fresh events of that account are measured as well. */
export async function measureRecovery(
  dispatcher: Dispatcher,
  sink: Sink,
  length: Length & { readonly recovered: number },
): Promise<Disturbance> {
  await dispatcher.start();
  const accountIds = await connectAccounts(dispatcher, healthyAccounts + badAccounts, [`${sink.url}/ok`]);
  const [recovering = ''] = accountIds;
  const { id: endpointId } = await dispatcher.request(getWebhookEndpoint, recovering, {});
  const since = new Date().toISOString();
  await sink.reset();
  await publishEvents({ ...dispatcher.nats, accountIds: [recovering], count: length.recovered, perSecond: null });
  while ((await sink.count()) < length.recovered) await sleep(checkEveryMs);
  const measure = (seconds: number) =>
    measureFresh({ dispatcher, sink, accountIds, healthy: new Set(accountIds), seconds });
  const disturbance = await alternate(`a recovery of ${length.recovered} events under way`, length, {
    calm: measure,
    disturbed: async (seconds) => {
      const { id: recoveryId } = await dispatcher.request(recover, recovering, {
        endpointId,
        body: { since, which: 'all' },
      });
      const fresh = await measure(seconds);
      const { status } = await dispatcher.request(cancelRecovery, recovering, { recoveryId });
      if (status !== 'canceled') throw new Error('The recovery was over before the measurement');
      return fresh;
    },
  });
  await dispatcher.stop();
  return disturbance;
}

const warmUpSeconds = 10;
const checkEveryMs = 500;

interface Alternation {
  calm(seconds: number): Promise<FreshDeliveries>;
  disturbed(seconds: number): Promise<FreshDeliveries>;
}

async function alternate(name: string, { rounds, seconds }: Length, turns: Alternation): Promise<Disturbance> {
  const calm: FreshDeliveries[] = [];
  const disturbed: FreshDeliveries[] = [];
  await turns.calm(warmUpSeconds);
  for (let round = 0; round < rounds; round++) {
    calm.push(await turns.calm(seconds));
    disturbed.push(await turns.disturbed(seconds));
  }
  const p95 = (runs: readonly FreshDeliveries[]) => median(runs.map(({ p95Ms }) => p95Ms));
  return { name, eventsPerSecond, calm, disturbed, growth: p95(disturbed) / p95(calm) };
}

interface FreshRun {
  readonly dispatcher: Dispatcher;
  readonly sink: Sink;
  readonly accountIds: readonly string[];
  /** Only these are measured. */
  readonly healthy: ReadonlySet<string>;
  readonly seconds: number;
}

/** From the moment an event is sent to the stream to the first byte at the receiver. */
async function measureFresh({ dispatcher, sink, accountIds, healthy, seconds }: FreshRun): Promise<FreshDeliveries> {
  await waitUntilQuiet();
  await sink.reset();
  const count = eventsPerSecond * seconds;
  const { events } = await publishEvents({ ...dispatcher.nats, accountIds, count, perSecond: eventsPerSecond });
  const counted = events.filter(([, accountId]) => healthy.has(accountId));
  const startedMs = performance.now();
  let arrivals = await sink.arrivals();
  while (counted.some(([id]) => !arrivals.has(id)) && performance.now() - startedMs < arriveWithinMs) {
    await sleep(checkEveryMs);
    arrivals = await sink.arrivals();
  }
  const latencies = counted.flatMap(([id, , sentMs]) => {
    const arrivedMs = arrivals.get(id);
    return arrivedMs === undefined ? [] : [arrivedMs - sentMs];
  });
  return {
    events: counted.length,
    missing: counted.length - latencies.length,
    p50Ms: percentile(latencies, 50),
    p95Ms: percentile(latencies, 95),
    p99Ms: percentile(latencies, 99),
  };
}
