import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DomainError } from '@app/contracts/errors';
import { nextTurn, timePasses } from '@app/testing/time-passes';
import { afterEach, expect, test, vi } from 'vitest';
import { telemetrySettings } from './config.ts';
import { startHealthServer } from './health-server.ts';
import { silentLogger } from './logger.ts';
import { type Gauge, metricsPage, observeGauges, secondsHistogram, timed } from './metrics.ts';
import { startProcessTelemetry, startTelemetry, type Telemetry } from './telemetry.ts';

let telemetry: Telemetry | undefined;
const startPage = async () => {
  telemetry = await startTelemetry({ version: '1', metricsPage: true, logger: silentLogger() });
};

afterEach(async () => {
  vi.useRealTimers();
  await telemetry?.shutdown();
  telemetry = undefined;
});

const depth: Gauge = { name: 'queue.depth', unit: '{job}', of: 'service', description: 'Jobs that wait.' };
const busy: Gauge = { name: 'workers.busy', unit: '{worker}', of: 'replica', description: 'Workers at work.' };
const done: Gauge = { name: 'jobs.done', unit: '{job}', of: 'service', isTotal: true, description: 'Jobs done, ever.' };
const age: Gauge = { name: 'queue.age', unit: 's', of: 'service', description: 'Of the "oldest"\njob.' };

test('while metrics are not requested, nothing is recorded and no gauge is read', async () => {
  telemetry = await startTelemetry({ version: '1', logger: silentLogger() });
  const read = vi.fn(async () => []);
  observeGauges('checkout', [depth], read).close();
  expect(secondsHistogram('checkout', { name: 'work.duration', description: '' })).toBeUndefined();
  expect(await timed(undefined, {}, async () => 'done')).toBe('done');
  expect(await metricsPage()).toBe('');
  expect(read).not.toHaveBeenCalled();
});

test('the page shows the figures of all services, a name once, as Prometheus reads them', async () => {
  await startPage();
  const record = secondsHistogram('checkout', { name: 'work.duration', description: 'Of work.' });
  for (const seconds of [0.003, 0.2, 60]) record?.(seconds, { 'work.kind': 'an "odd" one\n', code: 200 });
  secondsHistogram('catalog', { name: 'work.duration', description: 'Of work.' })?.(0.5, {});
  observeGauges('catalog', [depth, age], async () => [
    { gauge: depth, value: 7, attributes: { 'queue.name': 'a' } },
    { gauge: age, value: 1.5 },
  ]);
  observeGauges('checkout', [depth, busy, done], async () => [
    { gauge: depth, value: 2 },
    { gauge: busy, value: 3 },
    { gauge: done, value: 41 },
  ]);
  const odd = 'service_name="checkout",work_kind="an \\"odd\\" one\\n",code="200"';
  const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  const buckets = (labels: string, counted: (bound: number) => number, all: number) => [
    ...bounds.map((bound) => `work_duration_seconds_bucket{${labels},le="${bound}"} ${counted(bound)}`),
    `work_duration_seconds_bucket{${labels},le="+Inf"} ${all}`,
  ];
  expect((await metricsPage()).split('\n')).toEqual([
    '# HELP work_duration_seconds Of work.',
    '# TYPE work_duration_seconds histogram',
    ...buckets(odd, (bound) => (bound < 0.2 ? 1 : 2), 3),
    `work_duration_seconds_sum{${odd}} 60.203`,
    `work_duration_seconds_count{${odd}} 3`,
    ...buckets('service_name="catalog"', (bound) => (bound < 0.5 ? 0 : 1), 1),
    'work_duration_seconds_sum{service_name="catalog"} 0.5',
    'work_duration_seconds_count{service_name="catalog"} 1',
    '# HELP queue_depth Jobs that wait.',
    '# TYPE queue_depth gauge',
    'queue_depth{service_name="checkout"} 2',
    'queue_depth{service_name="catalog",queue_name="a"} 7',
    '# HELP workers_busy Workers at work.',
    '# TYPE workers_busy gauge',
    'workers_busy{service_name="checkout"} 3',
    '# HELP jobs_done_total Jobs done, ever.',
    '# TYPE jobs_done_total counter',
    'jobs_done_total{service_name="checkout"} 41',
    '# HELP queue_age_seconds Of the "oldest"\\njob.',
    '# TYPE queue_age_seconds gauge',
    'queue_age_seconds{service_name="catalog"} 1.5',
    '',
  ]);
});

test('a gauge is read once in five seconds however often it is requested, and left out while it cannot be read', async () => {
  await startPage();
  vi.useFakeTimers({ toFake: ['performance'] });
  const read = vi.fn(async () => [{ gauge: depth, value: read.mock.calls.length }]);
  const observed = observeGauges('checkout', [depth], read);
  const shown = async () => /^queue_depth\{.*\} (.*)$/m.exec(await metricsPage())?.[1];
  expect([await shown(), await shown()]).toEqual(['1', '1']);
  vi.advanceTimersByTime(5_001);
  read.mockRejectedValueOnce(new Error('no database'));
  expect([await shown(), await shown()]).toEqual([undefined, undefined]);
  vi.advanceTimersByTime(5_001);
  expect(await shown()).toBe('3');
  observed.close();
  vi.advanceTimersByTime(5_001);
  expect(await shown()).toBeUndefined();
  expect(read).toHaveBeenCalledTimes(3);
});

test('work is timed with the type of its error; a refusal is none', async () => {
  const recorded: unknown[] = [];
  const record = (seconds: number, attributes: object) => void recorded.push([seconds >= 0, attributes]);
  const failing = (err: Error) => timed(record, { kind: 'work' }, () => Promise.reject(err)).catch(() => undefined);
  expect(await timed(record, { kind: 'work' }, async () => 'done')).toBe('done');
  await failing(new DomainError('not_found', 'No such product.'));
  await failing(new DomainError('service_unavailable', 'Try again.'));
  await failing(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await failing(new TypeError('wrong'));
  expect(recorded).toEqual([
    [true, { kind: 'work' }],
    [true, { kind: 'work' }],
    [true, { kind: 'work', 'error.type': 'service_unavailable' }],
    [true, { kind: 'work', 'error.type': 'ECONNRESET' }],
    [true, { kind: 'work', 'error.type': 'TypeError' }],
  ]);
});

test('the health port serves the page when there is one, and 500 when it cannot be made', async () => {
  await startPage();
  secondsHistogram('checkout', { name: 'work.duration', description: 'Of work.' })?.(1, {});
  const get = async (page: () => Promise<string>) => {
    const server = await startHealthServer({ port: 0, host: '127.0.0.1', checks: [], metricsPage: page });
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    const answer = { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    await server.close();
    return answer;
  };
  const shown = await get(metricsPage);
  expect(shown).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
  expect(shown.text).toContain('work_duration_seconds_count{service_name="checkout"} 1\n');
  expect((await get(() => Promise.reject(new Error('no')))).status).toBe(500);
});

test('the process shows its event loop, heap, collections, processor and memory while metrics are on, and measures nothing else', async () => {
  const settings = { OTEL_METRIC_EXPORT_INTERVAL: 60_000, OTEL_SDK_DISABLED: 'false', HEALTH_PORT: 1 } as const;
  const of = { name: 'catalog', version: '1', logger: silentLogger() };
  const off = await startProcessTelemetry({ ...settings, METRICS_PAGE: 'disabled' }, of);
  expect(await metricsPage()).toBe('');
  await off.shutdown();
  telemetry = await startProcessTelemetry({ ...settings, METRICS_PAGE: 'enabled' }, of);
  const collected = Promise.withResolvers<void>();
  const observer = new PerformanceObserver(() => collected.resolve());
  observer.observe({ entryTypes: ['gc'] });
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  await collected.promise;
  observer.disconnect();
  // Only from its second turn on does the timer say how late it was.
  await timePasses(60);
  // Nothing else runs meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  // The timer that was late runs before these.
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
  const page = await metricsPage();
  const value = (series: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')
        .at(-1),
    );
  const own = 'service_name="catalog"';
  expect(value(`nodejs_eventloop_delay_max_seconds{${own}}`)).toBeGreaterThan(0.1);
  expect(value(`nodejs_eventloop_delay_max_seconds{${own}}`)).toBeLessThan(10);
  expect(value(`nodejs_eventloop_utilization_ratio{${own}}`)).toBeGreaterThan(0.1);
  expect(value(`v8js_memory_heap_limit_bytes{${own}}`)).toBeGreaterThan(value(`v8js_memory_heap_used_bytes{${own}}`));
  expect(value(`process_memory_usage_bytes{${own}}`)).toBeGreaterThan(20_000_000);
  expect(value(`process_cpu_time_seconds_total{${own},cpu_mode="user"}`)).toBeGreaterThan(0.1);
  expect(value(`v8js_gc_duration_seconds_count{${own},v8js_gc_type="major"}`)).toBeGreaterThan(0);
});

test('a page that nothing would serve is a problem of the settings', async () => {
  const { METRICS_PAGE } = telemetrySettings;
  expect(METRICS_PAGE.parse(undefined)).toBe('disabled');
  const settings = {
    ...({ METRICS_PAGE: 'enabled', OTEL_SDK_DISABLED: 'false' } as const),
    ...{ OTEL_METRIC_EXPORT_INTERVAL: 60_000, HEALTH_PORT: 0 },
  };
  const started = startProcessTelemetry(settings, { name: 'test', version: '1', logger: silentLogger() });
  await expect(started).rejects.toThrow('METRICS_PAGE: needs a HEALTH_PORT to be served on');
});
