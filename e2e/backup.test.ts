import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { startReceiver } from '@app/testing/http-receiver';
import { pollSystem } from '@app/testing/poll-system';
import { timePasses } from '@app/testing/time-passes';
import { expect, onTestFinished, test } from 'vitest';
import { copyMadeData } from './support/made-data.ts';
import { runScript } from './support/run-script.ts';
import { call } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { dataDir, folderForEachTest, running } from './support/standalone-folder.ts';

/**
 * Guarantee: a backup that is made while orders come in, restored into an empty place, lacks no order that was answered before it began,
 * and nothing that follows from an order that it has; it acts on nobody until it is adopted; and a damaged one is found out.
 */
folderForEachTest();

const script = 'deploy/standalone/src/backup/backup-command.ts';
const settings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };

async function start(directory: string, more: Record<string, string> = {}): Promise<Standalone> {
  const standalone = startStandalone(directory, await freePort(), { ...settings, ...more });
  running.push(standalone);
  await standalone.until(/^ready /);
  return standalone;
}

const sellerOf = async (directory: string) => {
  const { baseUrl, apiKey } = await readCredentials(directory);
  return (method: string, path: string, body?: unknown) =>
    call(baseUrl, method, path, {
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body === undefined ? {} : { body }),
    });
};
/** Between two orders of a buyer: some come in at every moment of a backup, and each costs its webhook twice. */
const pauseMs = 200;
type Send = Awaited<ReturnType<typeof sellerOf>>;

async function all(send: Send, path: string): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = [];
  for (let more = true, before = ''; more; before = `&before=${found.at(-1)?.id}`) {
    const { json } = await send('GET', `${path}?limit=100${before}`);
    found.push(...json.data);
    more = json.has_more;
  }
  return found;
}

async function largestFile(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const sized = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), size: (await stat(join(folder, name))).size })),
  );
  return sized.toSorted((a, b) => b.size - a.size)[0]?.path ?? '';
}

// It starts ten programs: half a minute, and ten times that on a machine that is slow and busy.
test('what is restored has every order of before the backup, each with its figures and webhooks, and is a copy', {
  timeout: 600_000,
}, async () => {
  await copyMadeData(dataDir);
  const original = await start(dataDir);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const seller = await sellerOf(dataDir);
  await seller('PUT', '/api/v1/webhook-endpoint', { url: receiver.url, events: ['order.paid'] });
  const product = { name: 'Course', slug: 'course', priceCents: 4_900, currency: 'usd', pricingType: 'onetime' };
  const productId: string = (await seller('POST', '/api/v1/products', { ...product, status: 'live' })).json.id;
  const answered: string[] = [];
  let isSelling = true;
  const sell = async (buyer: number): Promise<void> => {
    for (let n = 0; isSelling; n += 1) {
      const order = { productSlug: 'course', email: `buyer-${buyer}-${n}@example.com` };
      const { json } = await seller('POST', '/api/v1/orders', order);
      answered.push(json.orderId);
      await timePasses(pauseMs);
    }
  };
  const selling = Promise.all([1, 2, 3, 4].map(sell));
  await receiver.received(50);
  const before = [...answered];
  const backups = `${dataDir}-backups`;
  // One that was killed, and an older one.
  for (const name of ['20260101T000000Z.unfinished', '20251231T000000Z'])
    await mkdir(join(backups, name), { recursive: true });
  const made = await runScript(script, ['backup', '--to', backups, '--keep', '1'], { DATA_DIR: dataDir });
  expect([made.code, made.output]).toEqual([0, expect.stringContaining('backed up to')]);
  isSelling = false;
  await selling;
  const doctor = (...args: string[]) =>
    // Settings of its own shell say nothing of the process that runs.
    runScript('deploy/standalone/src/doctor/doctor.ts', args, { DATA_DIR: dataDir, PORT: '1', DAILY_AT: '03:00' });
  const healthy = await doctor('--backups', backups);
  expect([healthy.code, healthy.output]).toEqual([0, expect.stringMatching(/ok +backup: the newest is of 20/)]);
  expect(healthy.output).toMatch(/note +daily job: has never run, and DAILY_AT is off/);
  expect(healthy.output).toMatch(/ok +Stripe: no account sells through it/);
  const without = await doctor('--backups', `${backups}/none`);
  expect([without.code, without.output]).toEqual([
    2,
    expect.stringMatching(/BAD +backup: none in .*\n +Run npm run backup/),
  ]);
  await original.end('SIGKILL');
  // Nothing answers: that hides nothing of what can be seen.
  const dead = await doctor('--backups', backups);
  expect([dead.code, dead.output]).toEqual([2, expect.stringMatching(/BAD +services: no answer/)]);
  expect(dead.output).toMatch(/BAD +clock: could not be looked at/);
  expect(dead.output).toMatch(/BAD +daily job: could not be looked at/);
  expect(dead.output).toMatch(/BAD +Stripe: could not be looked at/);
  expect(dead.output).toMatch(/ok +backup: the newest is of 20/);

  const [name = '', ...others] = await readdir(backups);
  expect(others).toEqual([]);
  const backup = join(backups, name);
  const verified = await runScript(script, ['restore', backup, '--verify'], { DATA_DIR: dataDir });
  expect([verified.code, verified.output]).toEqual([0, expect.stringContaining('is whole')]);
  const again = await runScript(script, ['restore', backup], { DATA_DIR: dataDir });
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('has something in it')]);
  const restoredDir = `${dataDir}-restored`;
  const restored = await runScript(script, ['restore', backup], { DATA_DIR: restoredDir });
  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('npm run adopt')]);

  const own = { INSTALLATION_ID: '' };
  const copy = await start(restoredDir, own);
  expect(copy.output()).toContain('this is a copy of an installation');
  const there = await sellerOf(restoredDir);
  const orders = (await all(there, '/api/v1/orders')).map(({ id }) => id);
  expect(before.filter((id) => !orders.includes(id))).toEqual([]);
  expect(orders.length).toBeLessThan(answered.length + 1);
  const adopted = await runScript('deploy/standalone/src/adopt.ts', [], { DATA_DIR: restoredDir, ...own });
  expect(adopted.code).toBe(0);
  await pollSystem(
    'every restored order has its figures and its webhook',
    async () => {
      const { json } = await there('GET', `/api/metrics/${productId}`);
      if (json.summary.orders !== orders.length) return false;
      const deliveries = await all(there, '/api/v1/webhook-deliveries');
      // The receipts of automations are files, and deliveries of the same event.
      const sent = deliveries.filter(
        ({ event, status, endpoint_id }) =>
          event === 'order.paid' && status === 'delivered' && endpoint_id?.startsWith('whe_'),
      );
      return sent.length === orders.length;
    },
    240_000,
  );

  const damaged = await largestFile(join(backup, 'postgres/cluster/base'));
  const file = await open(damaged, 'r+');
  await file.write(Buffer.alloc(64, 0xa5), 0, 64, 8_192 * 3 + 4_000);
  await file.close();
  const refused = await runScript(script, ['restore', backup, '--verify'], { DATA_DIR: dataDir });
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('is not as the backup was written')]);
  const unmade = await runScript(script, ['restore', backup], { DATA_DIR: `${dataDir}-damaged` });
  expect([unmade.code, unmade.output]).toEqual([1, expect.stringContaining('is not as the backup was written')]);
});
