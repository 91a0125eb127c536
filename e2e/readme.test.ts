import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { freePort, portInUse } from '@app/embedded/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FirstSeller, firstSeller, logIn, moveTo, ownerByLink } from './support/first-seller.ts';
import { call } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { handled, handledAll } from './support/waits.ts';

/** Guarantee: one command starts everything, with a shop that the README goes on with, keeps it over a restart, and stops everything. */
const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');

let directory: string;
let dataDir: string;
let seller: FirstSeller;
const started: Standalone[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-readme-'));
  dataDir = join(directory, '.data');
  seller = firstSeller(dataDir);
});
afterAll(async () => {
  for (const standalone of started) await standalone.end('SIGKILL');
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function start(port: number, settings: Record<string, string> = {}): Standalone {
  const standalone = startStandalone(dataDir, port, settings);
  started.push(standalone);
  return standalone;
}

interface Running {
  readonly standalone: Standalone;
  readonly port: number;
}

async function startUntilReady(): Promise<Running> {
  const port = await freePort();
  const standalone = start(port);
  await standalone.until(/^ready http:\/\/127\.0\.0\.1:\d+$/);
  return { standalone, port };
}

let running: Promise<Running> | undefined;
/** A first start takes three times as long as every other: each test goes on with what the one before left. */
const whatRuns = (): Promise<Running> => (running ??= startUntilReady());

interface Step {
  readonly commands: string;
  /** What the README says they print; undefined where it says nothing. */
  readonly printed: string | undefined;
}

/** The shell blocks of the README in order, each with the output block that follows it. */
function stepsOf(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
    kind,
    text: text as string,
  }));
  return blocks.flatMap((block, index) => {
    if (block.kind !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ commands: block.text, printed: next?.kind === 'json' ? next.text.trim() : undefined }];
  });
}

/** Text with `…` for what differs each time. */
function pattern(printed: string): RegExp {
  const parts = printed.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`);
}

/** Whether git, and with it the style check, would ignore this path of the repository. Nothing need be there. */
async function isIgnored(path: string): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['check-ignore', '--quiet', path], { cwd: root });
    return true;
  } catch (err) {
    // 1 is its answer for a path that is not ignored; anything else is a failure.
    if ((err as { code?: unknown }).code === 1) return false;
    throw err;
  }
}

/** The entries of a directory that git would not ignore if they lay in the repository. */
async function notIgnored(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const paths = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`);
  const ignored = await Promise.all(paths.map(isIgnored));
  return paths.filter((_, index) => ignored[index] !== true);
}

test('the README’s commands give what the README prints, and leave nothing that git or the style check sees', async () => {
  await whatRuns();
  const { baseUrl } = await readCredentials(dataDir);
  const receiverPort = String(await freePort());
  const local = (text: string): string =>
    text.replaceAll(/http:\/\/127\.0\.0\.1:3000|3001/g, (found) => (found === '3001' ? receiverPort : baseUrl));
  const steps = stepsOf(await readFile(readme, 'utf8'));
  expect(steps.length).toBeGreaterThanOrEqual(5);
  const script = steps.map((step) => `${local(step.commands)}\necho; echo "=== next"\n`).join('');
  const shell = ['-c', `trap 'kill $(jobs -p)' EXIT\n${script}`];
  const { stdout } = await promisify(execFile)('bash', shell, { cwd: directory, timeout: 100_000 });
  const outputs = stdout.split('=== next').map((output) => output.trim());
  for (const [index, step] of steps.entries()) {
    if (step.printed !== undefined) expect(outputs[index]).toMatch(pattern(local(step.printed)));
  }
  expect(await notIgnored(directory)).toEqual([]);
});

test('the installation guide’s commands make the first account and show its API key', async () => {
  await whatRuns();
  const { baseUrl } = await readCredentials(dataDir);
  const guide = await readFile(join(root, 'deploy/README.md'), 'utf8');
  const [, commands = ''] = /## Make the first account\n\n((?: {4}.*\n)+)/.exec(guide) ?? [];
  const shell = ['-c', commands.replaceAll('http://localhost:3000', baseUrl)];
  const { stdout } = await promisify(execFile)('bash', shell, { cwd: directory });
  const [, apiKey] = /"key":"(fnl_\w+)"/.exec(stdout) ?? [];
  const headers = { authorization: `Bearer ${apiKey}` };
  expect((await call(baseUrl, 'GET', '/api/v1/products', { headers })).json.data).toEqual([]);
});

test('the first start makes a realistic shop; a restart keeps it; SIGTERM stops every process', async () => {
  const { standalone: first, port } = await whatRuns();
  expect((await stat(join(dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600);
  const credentials = await readCredentials(dataDir);
  const { baseUrl, password } = credentials;
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
  const entered = await logIn(credentials);
  expect(entered.status).toBe(200);

  const products = (await seller.read('/api/v1/products')).json.data as {
    id: string;
    billing_interval: string | null;
    status: string;
  }[];
  expect(new Set(products.map((product) => product.billing_interval))).toEqual(new Set([null, 'month', 'year']));
  const orders = await seller.read('/api/v1/orders');
  expect(orders.json.data).toHaveLength(100);
  const funnels = await Promise.all(
    products.map(async (product) => (await seller.read(`/api/products/${product.id}/funnel`)).json),
  );
  for (const part of ['bumps', 'upsells', 'emails'])
    expect(funnels.some((funnel) => funnel[part].length > 0)).toBe(true);
  expect((await seller.read('/api/v1/affiliates')).json.data).toHaveLength(1);
  const { id } = products.find((product) => product.billing_interval === 'month') ?? { id: '' };
  await handledAll('metrics', orderPaid, 'orderId', await seller.paidOrders());
  await handled('metrics', subscriptionStarted, ({ productId }) => productId === id);
  const { json } = await seller.read(`/api/metrics/${id}`);
  expect(json.summary.activeSubscriptions).toBeGreaterThan(0);
  expect(json.revenueByMonth.length).toBeGreaterThanOrEqual(2);

  const email = 'moved@example.com';
  expect(await moveTo(email, entered, credentials, join(dataDir, 'emails'))).toEqual([200, 200]);
  expect(await first.end('SIGTERM')).toBe(0);
  expect(await portInUse(port)).toBe(false);
  running = startUntilReady();
  const { standalone: second } = await running;
  expect((await seller.read('/api/v1/orders')).text).toBe(orders.text);
  const kept = await readCredentials(dataDir);
  expect(kept.baseUrl).not.toBe(baseUrl);
  expect(kept).toMatchObject({ email, password });
  expect(await ownerByLink(second)).toBe(email);
});

test('a data directory in use and a port in use are said so, naming them', async () => {
  const { standalone, port } = await whatRuns();
  const products = await seller.read('/api/v1/products');
  expect(products.status).toBe(200);
  const sameDirectory = start(await freePort());
  expect(await sameDirectory.ended).toBe(1);
  expect(sameDirectory.output()).toContain(
    `The data directory ${dataDir} is in use by process ${standalone.child.pid}`,
  );
  const samePort = start(port, { DATA_DIR: join(dataDir, 'other') });
  expect(await samePort.ended).toBe(1);
  expect(samePort.output()).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect((await seller.read('/api/v1/products')).text).toBe(products.text);
  expect(await standalone.end('SIGTERM')).toBe(0);
});
