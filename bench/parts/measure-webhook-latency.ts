import type { Infra } from '../infra.ts';
import { sendPaced } from '../load/send-paced.ts';
import { commitTimesAfter } from '../measure/commit-times.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { percentile } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import type { Platform } from '../platform/start-platform.ts';

export interface WebhookLatency {
  readonly ordersPerSecond: number;
  readonly orders: number;
  readonly failed: number;
  /** Answered, and never at the receiver. */
  readonly missing: number;
  readonly unsigned: number;
  /** From the order's `created_at`, which is taken before the commit, to the webhook's arrival: never less than from the commit. */
  readonly sinceCreated: Percentiles;
  /** From the commit of the order, which is when its event exists, to the webhook's arrival. */
  readonly sinceCommit: Percentiles;
  /** From the order's answer, which is sent after the commit; negative where the webhook was faster than the answer. */
  readonly sinceAnswer: Percentiles;
  /** How long the caller waited for the order's answer at this rate. */
  readonly answer: Percentiles;
}

export interface Percentiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

const rates = [50, 200, 500];

export async function measureWebhookLatency(
  platform: Platform,
  infra: Infra,
  lengths: Lengths,
): Promise<WebhookLatency[]> {
  const results: WebhookLatency[] = [];
  for (const rate of rates) results.push(await measureAt(platform, infra, rate, lengths.latency));
  return results;
}

async function measureAt(
  platform: Platform,
  infra: Infra,
  ordersPerSecond: number,
  seconds: number,
): Promise<WebhookLatency> {
  const { system, client, receiver } = platform;
  await waitUntilQuiet();
  const newestBefore = await client.newestOrderId();
  const watch = await system.watchOrders?.();
  const { orders, failed } = await sendPaced(system, ordersPerSecond, seconds);
  await watch?.waitUntilDrained(orders.length);
  const { arrivals, unsigned } = await receiver.arrivals();
  const listed = await client.listOrdersAfter(newestBefore);
  const createdMs = new Map(listed.map((order) => [order.id, Date.parse(order.created_at)]));
  const committedMs = await commitTimesAfter(infra, newestBefore);
  const arrived = orders.filter((order) => arrivals[order.orderId] !== undefined);
  const arrival = (orderId: string) => arrivals[orderId] ?? Number.NaN;
  return {
    ordersPerSecond,
    orders: orders.length,
    failed,
    missing: orders.length - arrived.length,
    unsigned,
    sinceCreated: percentiles(arrived.map(({ orderId }) => arrival(orderId) - (createdMs.get(orderId) ?? Number.NaN))),
    sinceCommit: percentiles(arrived.map(({ orderId }) => arrival(orderId) - (committedMs.get(orderId) ?? Number.NaN))),
    sinceAnswer: percentiles(arrived.map(({ orderId, answeredMs }) => arrival(orderId) - answeredMs)),
    answer: percentiles(orders.map(({ sentMs, answeredMs }) => answeredMs - sentMs)),
  };
}

function percentiles(values: readonly number[]): Percentiles {
  return { p50Ms: percentile(values, 50), p95Ms: percentile(values, 95), p99Ms: percentile(values, 99) };
}
