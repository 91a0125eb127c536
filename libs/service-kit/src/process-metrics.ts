import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type Gauge, observeGauges, type Reading, secondsHistogram } from './metrics.ts';

/** How exactly the delay of the event loop is measured, in milliseconds: a timer of this pause. */
const resolutionMs = 20;

const gaugeOf = (name: string, unit: string, description: string, more: Partial<Gauge> = {}): Gauge => ({
  ...{ name, unit, of: 'process', description: `${description}, of the process that reports.` },
  ...more,
});

const delayMean = gaugeOf('nodejs.eventloop.delay.mean', 's', 'How late timers were on average since the last reading');
const delayP99 = gaugeOf(
  'nodejs.eventloop.delay.p99',
  's',
  'How late a hundredth of the timers were since then, at least',
);
const delayMax = gaugeOf('nodejs.eventloop.delay.max', 's', 'How late the latest timer was since the last reading');
const utilization = gaugeOf('nodejs.eventloop.utilization', '1', 'The part of the time that the event loop was busy');
const heapUsed = gaugeOf('v8js.memory.heap.used', 'By', 'Memory that JavaScript uses');
const heapLimit = gaugeOf('v8js.memory.heap.limit', 'By', 'Memory at which JavaScript ends');
const residentMemory = gaugeOf('process.memory.usage', 'By', 'Memory that the process holds');
const cpuTime = gaugeOf('process.cpu.time', 's', 'Time of processors that was used', { isTotal: true });

/** What Node says of a garbage collection. */
interface Collection {
  /** In milliseconds. */
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

/** As `v8js.gc.type` has them, by the numbers that Node gives. */
const collections: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' };

const nanosecondsOfSecond = 1e9;
const microsecondsOfSecond = 1e6;

/**
 * Shows how the process itself does, under the names that OpenTelemetry's conventions give it: event loop, heap, garbage collection,
 * processor and memory. While metrics are off it measures nothing.
 * @param service whose name the figures carry
 */
export function observeProcess(service: string): { close(): void } {
  const recordCollection = secondsHistogram(service, {
    name: 'v8js.gc.duration',
    description: 'How long garbage collections took, of the process that reports.',
  });
  if (recordCollection === undefined) return { close: () => undefined };
  const collected = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as readonly Collection[]) {
      recordCollection(entry.duration / 1_000, { 'v8js.gc.type': collections[entry.detail.kind] ?? 'other' });
    }
  });
  collected.observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const read = async (): Promise<Reading[]> => {
    const now = performance.eventLoopUtilization();
    const busy = performance.eventLoopUtilization(now, before).utilization;
    before = now;
    const { user, system } = process.cpuUsage();
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const readings: Reading[] = [
      ...delaysOf(delay),
      { gauge: utilization, value: busy },
      { gauge: heapUsed, value: used },
      { gauge: heapLimit, value: limit },
      { gauge: residentMemory, value: process.memoryUsage.rss() },
      { gauge: cpuTime, value: user / microsecondsOfSecond, attributes: { 'cpu.mode': 'user' } },
      { gauge: cpuTime, value: system / microsecondsOfSecond, attributes: { 'cpu.mode': 'system' } },
    ];
    delay.reset();
    return readings;
  };
  const gauges = [delayMean, delayP99, delayMax, utilization, heapUsed, heapLimit, residentMemory, cpuTime];
  const observed = observeGauges(service, gauges, read);
  return {
    close: () => {
      observed.close();
      collected.disconnect();
      delay.disable();
    },
  };
}

/** The timer's own pause is in what Node measures. None where no timer has run since the last reading. */
function delaysOf(delay: ReturnType<typeof monitorEventLoopDelay>): Reading[] {
  if (delay.count === 0) return [];
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / nanosecondsOfSecond - resolutionMs / 1_000);
  return [
    { gauge: delayMean, value: late(delay.mean) },
    { gauge: delayP99, value: late(delay.percentile(99)) },
    { gauge: delayMax, value: late(delay.max) },
  ];
}
