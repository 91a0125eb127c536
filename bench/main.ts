import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startFloor } from './floor/start-floor.ts';
import { createDirectory, type Infra, startInfra } from './infra.ts';
import { requireWrk } from './load/wrk.ts';
import { requireProc, residentMemory } from './measure/cpu.ts';
import { measureOrders } from './measure/measure-orders.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import { measureCheckouts } from './parts/measure-checkouts.ts';
import { measureDeliveries } from './parts/measure-deliveries.ts';
import { measureEvents } from './parts/measure-events.ts';
import { measureLimits } from './parts/measure-limits.ts';
import { measureLists } from './parts/measure-lists.ts';
import { measureMcp } from './parts/measure-mcp.ts';
import { measureMetrics } from './parts/measure-metrics.ts';
import { measureOrderThroughput } from './parts/measure-order-throughput.ts';
import { measureRenewals } from './parts/measure-renewals.ts';
import { measureStart } from './parts/measure-start.ts';
import { measureStripeRenewals } from './parts/measure-stripe-renewals.ts';
import { measureSustained } from './parts/measure-sustained.ts';
import { measureWebhookLatency } from './parts/measure-webhook-latency.ts';
import { measureWebhookLists } from './parts/measure-webhook-lists.ts';
import { profilePlatform } from './parts/profile-platform.ts';
import { startPlatform } from './platform/start-platform.ts';
import { printResults } from './report/print-results.ts';
import { checkTargets, type Results } from './report/results.ts';

const listedProducts = 20;
/** More than the 100 orders of a list, and enough for V8 to have compiled what is hot. */
const warmUpConnections = 8;

/** Parts that do not run on the platform that is compared with the floor. */
const apart: readonly PartName[] = [
  'start',
  'profile',
  'events',
  'deliveries',
  'limits',
  'webhook-lists',
  'stripe-renewals',
];

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  requireProc();
  requireWrk();
  const directory = createDirectory();
  const results: Results = { startedAt: new Date().toISOString(), quick: options.quick, machine: describeMachine() };
  const { parts } = options;
  if (parts.includes('start') && !options.floorOnly) {
    step('start: npm start with embedded servers, on an empty directory and again');
    results.start = await measureStart(directory);
  }
  if (parts.some((part) => part !== 'start')) await measureOnSharedServers(options, directory, results);
  results.targets = checkTargets(results);
  printResults(results);
  console.log(`\n${saveResults(results)}`);
}

async function measureOnSharedServers(options: Options, directory: string, results: Results): Promise<void> {
  await using stack = new AsyncDisposableStack();
  step('servers');
  const infra = await startInfra(directory, stack, options.nats);
  results.machine.postgres = infra.versions.postgres;
  results.machine['nats-server'] = infra.versions.nats;
  if (options.parts.some((part) => !apart.includes(part))) {
    await compare(options, infra, results);
  }
  if (options.parts.includes('events') && !options.floorOnly) {
    step('events: what one relay publishes and one process of metrics takes while more wait');
    results.events = await measureEvents(infra, options.lengths);
  }
  if (options.parts.includes('deliveries') && !options.floorOnly) {
    step('deliveries: events and a backlog of one webhook-dispatcher, beside undici alone');
    results.deliveries = await measureDeliveries(infra, options.lengths);
  }
  if (options.parts.includes('limits') && !options.floorOnly) {
    step('limits: orders and paid checkouts with limits that are not reached, beside none');
    results.limits = await measureLimits(infra, listedProducts, options.lengths);
  }
  if (options.parts.includes('webhook-lists') && !options.floorOnly) {
    step(`webhook lists: pages of a seller with ${options.lengths.history} deliveries, beside one with few`);
    results.webhookLists = await measureWebhookLists(infra, options.lengths.history);
  }
  if (options.parts.includes('stripe-renewals') && !options.floorOnly) {
    const { stripeRenewals } = options.lengths;
    step(
      `stripe renewals: ${stripeRenewals.due} due at a stand-in with Stripe's limit, two replicas of billing, buyers meanwhile`,
    );
    results.stripeRenewals = await measureStripeRenewals(infra, listedProducts, stripeRenewals);
  }
  if (options.parts.includes('profile') && !options.floorOnly) {
    step('profile: 32 connections');
    results.profile = await profilePlatform(infra, listedProducts, options.lengths);
  }
}

async function compare({ parts, lengths, floorOnly }: Options, infra: Infra, results: Results): Promise<void> {
  await using stack = new AsyncDisposableStack();
  step('warm-up');
  const platform = floorOnly ? undefined : await startPlatform(infra, listedProducts);
  stack.defer(async () => platform?.stop());
  const products = (await platform?.client.listProducts())?.length ?? listedProducts;
  const systems = { floor: await startFloor(infra, products, stack), platform: platform?.system };
  for (const system of [systems.floor, systems.platform]) {
    if (system) await measureOrders(system, warmUpConnections, lengths.warmUp);
  }
  if (parts.includes('orders')) {
    step('orders: 1, 8 and 32 connections');
    results.orders = await measureOrderThroughput(systems, lengths);
  }
  if (parts.includes('sustained')) {
    step(`sustained: 64 connections for ${lengths.sustained} s, the floor before and after`);
    results.sustained = await measureSustained(systems, infra, lengths.sustained);
  }
  if (parts.includes('lists')) {
    step('lists');
    results.lists = await measureLists(systems, lengths);
  }
  if (platform === undefined) return;
  if (parts.includes('mcp')) {
    step('mcp: a page of orders and orders by tools, beside the same over HTTP');
    results.mcp = await measureMcp(platform.system, lengths);
  }
  if (parts.includes('checkouts')) {
    step('checkouts: 8 and 32 buyers, beside recorded orders');
    results.checkouts = await measureCheckouts(platform, infra.postgres.url, lengths);
  }
  if (parts.includes('renewals')) {
    step(`renewals: ${lengths.renewals.join(', ')} due`);
    results.renewals = await measureRenewals(platform, infra.postgres.url, lengths.renewals);
  }
  if (parts.includes('metrics')) {
    step(`metrics: rebuild of ${lengths.facts} facts, reads of a small and a large product`);
    results.metrics = await measureMetrics(platform, infra.postgres.url, lengths);
  }
  if (parts.includes('latency')) {
    step('latency: webhooks at 50, 200 and 500 orders/s');
    results.latency = await measureWebhookLatency(platform, infra, lengths);
  }
  results.memory = residentMemory(platform.pid);
}

function step(name: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${name}`);
}

function describeMachine(): Results['machine'] {
  const [cpu] = cpus();
  const memoryGb = Math.round(totalmem() / 1e9);
  return {
    cpus: cpus().length,
    model: cpu?.model ?? 'unknown',
    memoryGb,
    kernel: process.platform,
    node: process.version,
  };
}

function saveResults(results: Results): string {
  const file = fileURLToPath(new URL('./results/latest.json', import.meta.url));
  mkdirSync(new URL('./results/', import.meta.url), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

// 'exit' handlers end the processes we started and remove their directory, whichever way we go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  await main();
  process.exit();
} catch (err) {
  console.error(err);
  process.exit(1);
}
