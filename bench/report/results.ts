import { median } from '../measure/statistics.ts';
import type { CheckoutsResult } from '../parts/measure-checkouts.ts';
import type { DeliveriesResult } from '../parts/measure-deliveries.ts';
import type { EventsResult } from '../parts/measure-events.ts';
import type { LimitsResult } from '../parts/measure-limits.ts';
import type { ListResult } from '../parts/measure-lists.ts';
import type { McpResult } from '../parts/measure-mcp.ts';
import type { MetricsResult } from '../parts/measure-metrics.ts';
import type { ConnectionsResult } from '../parts/measure-order-throughput.ts';
import type { RenewalsResult } from '../parts/measure-renewals.ts';
import type { StartTimes } from '../parts/measure-start.ts';
import type { StripeRenewalsResult } from '../parts/measure-stripe-renewals.ts';
import type { SustainedResult } from '../parts/measure-sustained.ts';
import type { WebhookLatency } from '../parts/measure-webhook-latency.ts';
import type { WebhookListsResult } from '../parts/measure-webhook-lists.ts';
import type { PlatformProfile } from '../parts/profile-platform.ts';
import { limitsRatios } from './limits-ratios.ts';

/** Everything one run of the bench found; bench/results/latest.json. */
export interface Results {
  readonly startedAt: string;
  readonly quick: boolean;
  readonly machine: Record<string, string | number>;
  orders?: ConnectionsResult[];
  sustained?: SustainedResult;
  checkouts?: CheckoutsResult[];
  renewals?: RenewalsResult;
  stripeRenewals?: StripeRenewalsResult;
  lists?: ListResult[];
  mcp?: McpResult[];
  metrics?: MetricsResult;
  /** At one rate after the other. */
  latency?: WebhookLatency[];
  events?: EventsResult;
  deliveries?: DeliveriesResult;
  limits?: LimitsResult;
  webhookLists?: WebhookListsResult;
  /** Of the platform's process after the load. */
  memory?: { nowMb: number; peakMb: number };
  start?: StartTimes;
  profile?: PlatformProfile;
  targets?: Target[];
}

export interface Target {
  readonly name: string;
  readonly value: string;
  readonly target: string;
  readonly met: boolean;
}

/** What the platform promises; only what was measured. */
export function checkTargets(results: Results): Target[] {
  return [
    ...orderTargets(results),
    ...sustainedTargets(results),
    ...checkoutTargets(results),
    ...renewalTargets(results),
    ...stripeRenewalTargets(results),
    ...latencyTargets(results),
    ...deliveryTargets(results),
    ...listTargets(results),
    ...mcpTargets(results),
    ...limitsTargets(results),
    ...webhookListTargets(results),
    ...metricsTargets(results),
    ...processTargets(results),
  ];
}

function orderTargets({ orders = [], sustained }: Results): Target[] {
  const runs = [...orders.flatMap((result) => result.platform), sustained?.platform].filter((run) => run !== undefined);
  if (runs.length === 0) return [];
  const failed = runs.reduce((total, run) => total + run.failed, 0);
  const incomplete = runs.filter((run) => run.drained?.complete !== true).length;
  return [
    atMost('orders refused or unanswered', failed, 0, ''),
    atMost('runs whose list, metrics and receiver disagree', incomplete, 0, ''),
  ];
}

/** Memory that grows by more than this over a minute of load has not levelled off. */
const growthMax = 1.1;

function sustainedTargets({ sustained }: Results): Target[] {
  const { ratio, platform, observed, seconds, connections } = sustained ?? {};
  if (ratio === undefined || platform?.drained === undefined || observed === undefined) return [];
  return [
    atLeast(`orders/s over floor, ${connections} connections, ${seconds} s`, ratio, 0.8, ''),
    ...observed.lags.map(({ name, worstSeconds }) => atMost(`worst lag, ${name}`, worstSeconds, 1, ' s')),
    atMost('memory, last third over second third', observed.memory.platform.growth, growthMax, ''),
    atMost('backlog gone after the sustained load', platform.drained.seconds, 5, ' s'),
  ];
}

/**
 * A paid checkout is two requests and the transactions of three services, and one order is recorded by one statement. With few buyers
 * batches are small, and a checkout costs four orders; with many three.
 */
const paidOverRecorded: Readonly<Record<number, number>> = { 8: 0.22, 32: 0.3 };

function checkoutTargets({ checkouts = [] }: Results): Target[] {
  return checkouts.flatMap(({ buyers, ratios, paid }) => [
    atLeast(`paid checkouts over recorded orders, ${buyers} buyers`, median(ratios), paidOverRecorded[buyers] ?? 0, ''),
    atMost(
      `checkouts refused, unanswered or not in list, metrics and receiver, ${buyers} buyers`,
      paid.reduce((total, run) => total + run.failed + (run.complete ? 0 : 1), 0),
      0,
      '',
    ),
  ]);
}

function stripeRenewalTargets({ stripeRenewals }: Results): Target[] {
  if (stripeRenewals === undefined) return [];
  const { due, charged, stripe, alone, meanwhile } = stripeRenewals;
  return [
    atMost('renewals at Stripe due and not charged', due - charged, 0, ''),
    atMost('answers 429 of Stripe', stripe.limited, 0, ''),
    atMost('buyers who could not pay', alone.failed + meanwhile.failed, 0, ''),
  ];
}

function renewalTargets({ renewals }: Results): Target[] {
  if (renewals === undefined) return [];
  const { instant, slow, nothingDueSeconds } = renewals;
  const rates = instant.map(({ perSecond }) => perSecond);
  const memory = instant.map(({ peakMb }) => peakMb);
  const failed = [...instant, ...slow].reduce((sum, { due, charged }) => sum + Math.abs(due - charged), 0);
  return [
    atMost('renewals due and not charged, or charged and not due', failed, 0, ''),
    ...instant.map(({ due, perSecond }) => atLeast(`renewals/s, ${due} due`, perSecond, 2_000, '')),
    atLeast('renewals/s, slowest over fastest', Math.min(...rates) / Math.max(...rates), 0.8, ''),
    atMost('memory at its peak, most due over fewest', Math.max(...memory) / (memory[0] ?? Number.NaN), 1.2, ''),
    atMost('a run with nothing due', nothingDueSeconds, 1, ' s'),
  ];
}

/** Orders a second at which the latency has a target. */
const targetedRate = 200;

function latencyTargets({ latency = [] }: Results): Target[] {
  return latency.flatMap(({ ordersPerSecond, sinceCommit, missing, unsigned }) => [
    ...(ordersPerSecond === targetedRate
      ? [atMost(`webhook p95 since the commit, ${ordersPerSecond} orders/s`, sinceCommit.p95Ms, 50, ' ms')]
      : []),
    atMost(`webhooks missing or unsigned, ${ordersPerSecond} orders/s`, missing + unsigned, 0, ''),
  ]);
}

function limitsTargets({ limits }: Results): Target[] {
  if (limits === undefined) return [];
  const { orders, checkouts } = limitsRatios(limits);
  const { without, with: limited } = limits.checkouts;
  const incomplete = [...without, ...limited].filter(({ complete }) => !complete).length;
  return [
    atMost('CPU of an order, with limits over without', orders.cpu, 1.1, ''),
    atMost('CPU of a paid checkout, with limits over without', checkouts.cpu, 1.25, ''),
    atMost('runs with and without limits whose list, metrics and receiver disagree', incomplete, 0, ''),
  ];
}

function deliveryTargets({ deliveries }: Results): Target[] {
  if (deliveries === undefined) return [];
  const { sources, disturbances } = deliveries;
  return [
    ...sources.flatMap(({ source, fanOut, platform, ratios }) => [
      atLeast(`deliveries/s, ${source}, fan-out ${fanOut}`, median(platform.map((run) => run.perSecond)), 5_000, ''),
      atLeast(`deliveries/s over bare undici, ${source}, fan-out ${fanOut}`, median(ratios), 0.5, ''),
    ]),
    ...disturbances.flatMap(({ name, growth, calm, disturbed }) => [
      atMost(`p95 of fresh events over calm, ${name}`, growth, 1.2, ''),
      atMost(
        `fresh events that never came, ${name}`,
        [...calm, ...disturbed].reduce((sum, { missing }) => sum + missing, 0),
        0,
        '',
      ),
    ]),
  ];
}

function listTargets({ lists = [] }: Results): Target[] {
  return lists.flatMap(({ list, ratio }) =>
    ratio === undefined ? [] : [atLeast(`${list} list over bare list`, ratio, 0.7, '')],
  );
}

/** What a client of the current revision gets. */
function mcpTargets({ mcp = [] }: Results): Target[] {
  return mcp.flatMap(({ tool, mcp: [current] }) =>
    current === undefined ? [] : [atLeast(`${tool} over HTTP`, current.ratio, tool === 'list_orders' ? 0.7 : 0.8, '')],
  );
}

/** Of a page's time: its part that grows would be a factor of a thousand. */
const pageGrowthMax = 1.2;

function webhookListTargets({ webhookLists }: Results): Target[] {
  if (webhookLists === undefined) return [];
  const { few, many, pages } = webhookLists;
  const sides = `${many} deliveries over ${few}`;
  return [
    atMost(`pages of webhooks, median, ${sides}`, median(pages.map(({ ratio }) => ratio)), pageGrowthMax, ''),
    atMost(`slowest page of webhooks by ratio, ${sides}`, Math.max(...pages.map(({ ratio }) => ratio)), 2, ''),
  ];
}

function metricsTargets({ metrics }: Results): Target[] {
  if (metrics === undefined) return [];
  const { reads, ratio, rebuild } = metrics;
  const failed = reads.flatMap(({ runs }) => runs).reduce((total, run) => total + run.failed, 0);
  const counts = reads
    .map(({ orders }) => orders)
    .toReversed()
    .join(' over ');
  return [
    atLeast(`reads of metrics, ${counts} orders`, ratio, 0.8, ''),
    atMost('longest wait of new facts while a rebuild runs', rebuild.longestWaitMs, 1000, ' ms'),
    atMost('reads of metrics that failed, rebuilds with other numbers', failed + (rebuild.complete ? 0 : 1), 0, ''),
  ];
}

function processTargets({ start, memory }: Results): Target[] {
  const targets: Target[] = [];
  if (start) {
    targets.push(atMost('ready, empty data directory', start.emptySeconds, 6, ' s'));
    targets.push(atMost('ready, existing data directory', start.existingSeconds, 6, ' s'));
  }
  if (memory) targets.push(atMost('resident memory after load', memory.nowMb, 400, ' MB'));
  return targets;
}

function atLeast(name: string, value: number, limit: number, unit: string): Target {
  return { name, value: `${round(value)}${unit}`, target: `≥ ${round(limit)}${unit}`, met: value >= limit };
}

function atMost(name: string, value: number, limit: number, unit: string): Target {
  return { name, value: `${round(value)}${unit}`, target: `≤ ${limit}${unit}`, met: value <= limit };
}

/** Three digits that matter, as a person would write them. */
export function round(value: number): string {
  if (Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}
