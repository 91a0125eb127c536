import type { MemoryOverTime, Observed } from '../measure/lag.ts';
import type { OrdersRun } from '../measure/measure-orders.ts';
import { median } from '../measure/statistics.ts';
import type { CheckoutsResult } from '../parts/measure-checkouts.ts';
import type { EventsResult } from '../parts/measure-events.ts';
import type { ListResult, ListRun } from '../parts/measure-lists.ts';
import type { McpResult, McpRun } from '../parts/measure-mcp.ts';
import type { MetricsResult } from '../parts/measure-metrics.ts';
import type { ConnectionsResult } from '../parts/measure-order-throughput.ts';
import type { RenewalsResult } from '../parts/measure-renewals.ts';
import type { SustainedResult } from '../parts/measure-sustained.ts';
import type { Percentiles, WebhookLatency } from '../parts/measure-webhook-latency.ts';
import type { PlatformProfile } from '../parts/profile-platform.ts';
import { printDeliveries } from './print-deliveries.ts';
import { printLimits } from './print-limits.ts';
import { printStripeRenewals } from './print-stripe-renewals.ts';
import { printWebhookLists } from './print-webhook-lists.ts';
import { type Results, round } from './results.ts';
import { middle, printTable } from './table.ts';

function printEvents(result: EventsResult | undefined): void {
  if (result === undefined) return;
  const { events, relay, metrics } = result;
  printTable(`Events a second of one process while ${events} wait (medians)`, [
    ['relay', middle(relay, (perSecond) => perSecond)],
    ['metrics', middle(metrics, (perSecond) => perSecond)],
  ]);
}

/** The tables that a person reads; latest.json has everything. */
export function printResults(results: Results): void {
  const {
    orders,
    sustained,
    checkouts,
    renewals,
    stripeRenewals,
    lists,
    mcp,
    metrics,
    latency,
    events,
    deliveries,
    limits,
    webhookLists,
    memory,
    start,
    profile,
    targets = [],
  } = results;
  if (orders || sustained) printOrders(orders ?? [], sustained);
  if (checkouts) printCheckouts(checkouts);
  if (renewals) printRenewals(renewals);
  printStripeRenewals(stripeRenewals);
  if (lists) printLists(lists);
  printMcp(mcp);
  if (metrics) printMetrics(metrics);
  for (const each of latency ?? []) printLatency(each);
  printEvents(events);
  if (deliveries) printDeliveries(deliveries);
  printLimits(limits);
  if (webhookLists) printWebhookLists(webhookLists);
  if (start) {
    const { emptySeconds, existingSeconds, stopSeconds } = start;
    const times = `ready after ${round(emptySeconds)} s (empty), ${round(existingSeconds)} s (existing)`;
    console.log(`\nStart: ${times}; stopped in ${round(stopSeconds)} s; ${round(start.residentMb)} MB resident`);
  }
  if (memory)
    console.log(`\nMemory after load: ${round(memory.nowMb)} MB resident, ${round(memory.peakMb)} MB at its peak`);
  if (profile) printProfile(profile);
  if (targets.length === 0) return;
  printTable('Targets', [
    ['', 'measured', 'target', ''],
    ...targets.map(({ name, value, target, met }) => [name, value, target, met ? 'met' : 'MISSED']),
  ]);
}

function printOrders(byConnections: ConnectionsResult[], sustained: SustainedResult | undefined): void {
  const extra = (runs: OrdersRun[]) => [
    String(runs.reduce((total, run) => total + run.failed, 0)),
    middle(runs, (run) => run.drained?.seconds ?? Number.NaN),
  ];
  printTable('Orders (median of the rounds; CPU in µs per order, until every consumer is done)', [
    ['connections', 'system', ...commonHeads, 'failed', 'drained s'],
    ...byConnections.flatMap(({ connections, ...sides }) => pairOfRows(String(connections), sides, extra)),
    ...(sustained ? pairOfRows(`${sustained.connections} for ${sustained.seconds} s`, sidesOf(sustained), extra) : []),
  ]);
  if (sustained?.observed) printObserved(sustained.observed);
}

function sidesOf({ floor, platform, ratio }: SustainedResult): Sides<OrdersRun> {
  return { floor, platform: platform ? [platform] : [], ratios: ratio === undefined ? [] : [ratio] };
}

function printObserved({ samples, lags, memory }: Observed): void {
  printTable(`At its worst in ${samples} samples, one a second`, [
    ['', 'events of lag', 'oldest, s'],
    ...lags.map(({ name, worstEvents, worstSeconds }) => [name, String(worstEvents), round(worstSeconds)]),
  ]);
  const row = (name: string, { mb, growth }: MemoryOverTime) => {
    const at = (share: number) => round(mb[Math.floor((mb.length - 1) * share)] ?? Number.NaN);
    return [name, ...[0, 0.25, 0.5, 0.75, 1].map(at), round(growth)];
  };
  printTable('Resident MB over that time', [
    ['', 'begin', '1/4', '1/2', '3/4', 'end', 'last third over second'],
    row('platform', memory.platform),
    row('nats-server', memory.nats),
  ]);
}

function printCheckouts(byBuyers: CheckoutsResult[]): void {
  printTable('Paid checkouts (opened and paid, no upsell) beside recorded orders, medians of the rounds', [
    [
      'buyers',
      'orders/s',
      'paid/s',
      'ratio',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'of Node',
      'foreign %',
      'transactions each',
      'of them',
    ],
    ...byBuyers.map(({ buyers, recorded, paid, ratios }) => [
      String(buyers),
      middle(recorded, (run) => run.perSecond),
      middle(paid, (run) => run.paidPerSecond),
      round(median(ratios)),
      middle(paid, (run) => run.p50Ms),
      middle(paid, (run) => run.p99Ms),
      middle(paid, ({ cpu }) => cpu.systemMicroseconds),
      middle(paid, ({ cpu }) => cpu.microsecondsPerOperation.node),
      middle(paid, ({ cpu }) => cpu.foreignPercent),
      middle(paid, (run) => Object.values(run.transactions).reduce((sum, each) => sum + each, 0)),
      Object.entries(paid[0]?.transactions ?? {})
        .map(([service, each]) => `${service} ${round(each)}`)
        .join(', '),
    ]),
  ]);
}

function printRenewals({ instant, slow, slowMs, nothingDueSeconds }: RenewalsResult): void {
  const row = (processor: string, run: RenewalsResult['instant'][number]) => [
    ...[
      String(run.due),
      processor,
      String(run.charged),
      round(run.perSecond),
      round(run.beforeFirstSeconds),
      round(run.seconds),
      round(run.runSeconds),
    ],
    ...(['node', 'postgres', 'nats'] as const).map((group) => round(run.cpu.microsecondsPerOperation[group])),
    ...[round(run.cpu.systemMicroseconds), round(run.cpu.foreignPercent), round(run.peakMb), round(run.transactions)],
  ];
  printTable('Renewals of the daily job (CPU in µs per renewal, with what consumers do meanwhile)', [
    ['due', 'processor', 'charged', 'per s', 'first after s', 'last after s', 'whole run s'].concat([
      'node',
      'postgres',
      'nats',
      'system',
      'foreign %',
      'peak MB',
      'transactions each',
    ]),
    ...instant.map((run) => row('at once', run)),
    ...slow.map((run) => row(`${slowMs} ms`, run)),
  ]);
  const [first] = slow;
  if (first !== undefined) {
    const most = (first.callsAtOnce * 1_000) / slowMs;
    console.log(`  ${first.callsAtOnce} calls at once of ${slowMs} ms allow ${round(most)} a second`);
  }
  console.log(`  a second run, with nothing due: ${round(nothingDueSeconds)} s`);
}

function printLists(lists: ListResult[]): void {
  const extra = (runs: ListRun[]) => [middle(runs, (run) => run.bytesPerAnswer)];
  printTable('Lists at 8 connections (CPU in µs per answer)', [
    ['list', 'system', ...commonHeads, 'bytes'],
    ...lists.flatMap(({ list, ratio, ...sides }) =>
      pairOfRows(list, { ...sides, ratios: ratio === undefined ? [] : [ratio] }, extra),
    ),
  ]);
}

function printMcp(results: McpResult[] | undefined): void {
  if (results === undefined) return;
  const row = (tool: string, by: string, runs: McpRun[], ratio: string) => [
    ...[tool, by, middle(runs, (run) => run.perSecond), ratio],
    ...[middle(runs, (run) => run.p50Ms), middle(runs, (run) => run.p99Ms), middle(runs, (run) => run.bytesPerAnswer)],
  ];
  printTable('Tools beside the same over HTTP, at 8 connections (medians of the rounds)', [
    ['tool', 'by', 'per s', 'ratio', 'p50 ms', 'p99 ms', 'bytes'],
    ...results.flatMap(({ tool, http, mcp }) => [
      row(tool, 'HTTP', http, ''),
      ...mcp.map(({ revision, runs, ratio }) => row('', `MCP ${revision}`, runs, round(ratio))),
    ]),
  ]);
}

function printMetrics({ reads, rebuild, explained }: MetricsResult): void {
  printTable('Metrics of one product at 8 connections', [
    ['orders', 'per s', 'p50 ms', 'p99 ms'],
    ...reads.map(({ orders, runs }) => [
      String(orders),
      ...[runs.map((run) => run.perSecond), runs.map((run) => run.p50Ms), runs.map((run) => run.p99Ms)].map((values) =>
        round(median(values)),
      ),
    ]),
  ]);
  const { facts, seconds, perSecond, batches, medianWaitMs, longestWaitMs } = rebuild;
  console.log(
    `\nRebuild: ${facts} facts in ${round(seconds)} s, ${round(perSecond)} per s; meanwhile ${batches} batches of new facts,`,
  );
  console.log(`each recorded in ${round(medianWaitMs)} ms (median), ${round(longestWaitMs)} ms (longest)`);
  console.log('\nFirst page of an explanation:');
  for (const [what, ms] of Object.entries(explained)) console.log(`  ${what}: ${round(ms)} ms`);
}

type Run = OrdersRun | ListRun;

/** Both systems' runs of one kind; no platform runs when the floor is measured alone. */
interface Sides<R extends Run> {
  readonly floor: R[];
  readonly platform: R[];
  readonly ratios: number[];
}

const cpuGroups = ['node', 'postgres', 'nats', 'receiver', 'load'] as const;
const commonHeads = ['per s', 'ratio', 'p50 ms', 'p99 ms', ...cpuGroups, 'system', 'cpu ratio', 'foreign %'];

function pairOfRows<R extends Run>(
  name: string,
  { floor, platform, ratios }: Sides<R>,
  extra: (runs: R[]) => string[],
): string[][] {
  const systemCpu = (runs: R[]) => median(runs.map((run) => run.cpu.systemMicroseconds));
  const row = (system: string, runs: R[], ratio: string, cpuRatio: string) => [
    ...[name, system, middle(runs, (run) => run.perSecond), ratio],
    ...[middle(runs, (run) => run.p50Ms), middle(runs, (run) => run.p99Ms)],
    ...cpuGroups.map((group) => middle(runs, (run) => run.cpu.microsecondsPerOperation[group])),
    ...[round(systemCpu(runs)), cpuRatio, middle(runs, (run) => run.cpu.foreignPercent)],
    ...extra(runs),
  ];
  const rows = [row('floor', floor, '', '')];
  if (platform.length > 0) {
    rows.push(row('platform', platform, round(median(ratios)), round(systemCpu(platform) / systemCpu(floor))));
  }
  return rows;
}

function printLatency(latency: WebhookLatency): void {
  const row = (name: string, { p50Ms, p95Ms, p99Ms }: Percentiles) => [name, round(p50Ms), round(p95Ms), round(p99Ms)];
  const counts = `${latency.orders} orders, ${latency.failed} failed, ${latency.missing} webhooks missing`;
  printTable(`Webhooks at ${latency.ordersPerSecond} orders/s (${counts})`, [
    ['milliseconds', 'p50', 'p95', 'p99'],
    row('created_at (before the commit) to receiver', latency.sinceCreated),
    row('commit to receiver', latency.sinceCommit),
    row('answer (after the commit) to receiver', latency.sinceAnswer),
    row('answer to POST', latency.answer),
  ]);
}

const printedFunctions = 25;
const printedPackages = 12;

function printProfile({ run, summary }: PlatformProfile): void {
  const { functions, packages, idlePercent, busyMilliseconds } = summary;
  const perOrder = `${round((busyMilliseconds * 1000) / Math.max(1, run.accepted))} µs an order`;
  console.log(`\nProfile of the platform's main thread: ${perOrder}, ${round(idlePercent)} % of the time idle`);
  printTable('Self time by function', [
    ['%', 'ms', 'function', 'file'],
    ...functions
      .slice(0, printedFunctions)
      .map((each) => [round(each.percent), round(each.milliseconds), each.name, each.file]),
  ]);
  printTable('Self time by package', [
    ['%', 'ms', 'package'],
    ...packages.slice(0, printedPackages).map((each) => [round(each.percent), round(each.milliseconds), each.name]),
  ]);
}
