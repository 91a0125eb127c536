import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { eventually } from '@app/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, type Seller } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';

/** Guarantee: an outage of what `npm start` stands on ends by itself, and everything accepted before it is there after it. */
let dataDir: string;
let running: Standalone | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'funnelry-outages-'));
  running = undefined;
});

afterEach(async () => {
  await running?.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function start(): Promise<{ standalone: Standalone; seller: Pick<Seller, 'call'>; productId: string }> {
  const standalone = startStandalone(dataDir, await freePort(), { RATE_LIMIT_PER_MINUTE: '0' }, ['--empty']);
  running = standalone;
  await standalone.until(/^ready /);
  const { baseUrl, apiKey } = await readCredentials(dataDir);
  const authorization = `Bearer ${apiKey}`;
  const seller: Pick<Seller, 'call'> = {
    call: (method, path, options = {}) =>
      call(baseUrl, method, path, { ...options, headers: { authorization, ...options.headers } }),
  };
  const body = { name: 'Course', slug: 'course', priceCents: 100, pricingType: 'onetime', status: 'live' };
  const product = await seller.call('POST', '/api/v1/products', { body });
  expect(product.status).toBe(200);
  return { standalone, seller, productId: product.json.id };
}

/** With a key, repeating it is one order, whatever was answered before. */
const order = (seller: Pick<Seller, 'call'>, key?: string) =>
  seller.call('POST', '/api/v1/orders', {
    body: { productSlug: 'course', email: 'ann@example.com' },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

const countedOrders = async (seller: Pick<Seller, 'call'>, productId: string): Promise<number> =>
  (await seller.call('GET', `/api/metrics/${productId}`)).json.summary.orders;

/** The process that has this directory as its own: a server of this test and nobody else's. */
async function pidOf(program: string): Promise<number> {
  if (program === 'nats-server') {
    return (JSON.parse(await readFile(join(dataDir, 'nats', 'server.json'), 'utf8')) as { server: { pid: number } })
      .server.pid;
  }
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

function endHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}

test.each(['PostgreSQL', 'nats-server'])('a killed %s is started again, says so, and orders go on', async (name) => {
  const { standalone, seller, productId } = await start();
  expect((await order(seller)).status).toBe(200);
  process.kill(await pidOf(name), 'SIGKILL');
  await standalone.until(new RegExp(`${name} has ended \\(SIGKILL\\), starting it again`));
  await standalone.until(new RegExp(`${name} is back after`));
  await eventually(async () => (await order(seller, 'after')).status === 200, { withinMs: 60_000 });
  await eventually(async () => (await countedOrders(seller, productId)) === 2, { withinMs: 60_000 });
  expect(await standalone.end('SIGTERM')).toBe(0);
  expect(await readFile(join(dataDir, 'app.log'), 'utf8')).toContain(`${name} is back after`);
});

test.runIf(process.platform === 'linux')('a log that cannot be written stops nothing and is said once', async () => {
  // Every write to it finds no room.
  await symlink('/dev/full', join(dataDir, 'app.log'));
  const { standalone, seller, productId } = await start();
  for (let n = 0; n < 100; n++) expect((await order(seller)).status).toBe(200);
  await standalone.until(/The log .*app\.log cannot be written/);
  await eventually(async () => (await countedOrders(seller, productId)) === 100, { withinMs: 60_000 });
  expect(standalone.output().match(/cannot be written/g)).toHaveLength(1);
  expect(await standalone.end('SIGTERM')).toBe(0);
});

function mountDisk(directory: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=500m', 'tmpfs', directory], { stdio: 'ignore' });
}

/** Whether this machine lets us have a disk of our own: else the test would have to fill everybody's. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const directory = mkdtempSync(join(tmpdir(), 'funnelry-mount-'));
  try {
    mountDisk(directory);
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(directory);
  }
}

function fill(file: string): void {
  const fd = openSync(file, 'w');
  for (let size = 1_048_576; size >= 1; ) {
    try {
      writeSync(fd, Buffer.alloc(size));
    } catch {
      size = Math.floor(size / 16);
    }
  }
  closeSync(fd);
}

test.runIf(mayMount())(
  'a full disk refuses writes by name, answers the rest, and takes orders again once it has room',
  async () => {
    const disk = join(dataDir, 'disk');
    await mkdir(disk);
    mountDisk(disk);
    const mountedOn = dataDir;
    dataDir = join(disk, 'data');
    try {
      const { standalone, seller, productId } = await start();
      const { baseUrl } = await readCredentials(dataDir);
      let accepted = 0;
      let undecided = 0;
      const tryOrder = async () => {
        const answer = await order(seller);
        if (answer.status === 200) accepted += 1;
        else if (answer.json.code !== 'service_unavailable') undecided += 1;
        return answer;
      };
      await tryOrder();
      fill(join(disk, 'filler'));
      // A disk that is full at a stroke cuts off what is under way, before the watch of its room has looked again: that
      // order gets no answer for the 20 s for which its outcome is asked for.
      await eventually(
        async () => {
          const { status, json } = await tryOrder();
          expect(status === 200 || status === 503).toBe(true);
          return status === 503 && json.detail.includes('disk');
        },
        { withinMs: 60_000 },
      );
      for (let n = 0; n < 300; n++) {
        const answer = await tryOrder();
        expect([answer.status, answer.json.code, answer.json.detail]).toEqual([
          503,
          'service_unavailable',
          expect.stringContaining('disk'),
        ]);
        const health = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(30_000) });
        expect(health.status).toBe(200);
      }
      await rm(join(disk, 'filler'));
      await standalone.until(/has room again/);
      await eventually(async () => (await order(seller, 'after')).status === 200, { withinMs: 30_000 });
      const counted = () => countedOrders(seller, productId);
      await eventually(async () => expect(await counted()).toBeGreaterThanOrEqual(accepted + 1), { withinMs: 30_000 });
      expect(await counted()).toBeLessThanOrEqual(accepted + 1 + undecided);
      expect(await standalone.end('SIGTERM')).toBe(0);
    } finally {
      const natsPid = await pidOf('nats-server').catch(() => undefined);
      dataDir = mountedOn;
      await running?.end('SIGKILL');
      // nats-server 2.9 that met the full disk hears no signal but this one.
      if (natsPid !== undefined) endHard(natsPid);
      await eventually(() => execFileSync('umount', [disk]).length === 0, { withinMs: 10_000 });
    }
  },
);
