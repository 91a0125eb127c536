import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streamName } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { releaseBefore } from '@app/contracts/version';
import { freePort } from '@app/embedded/ports';
import { connectNats } from '@app/messaging/connect';
import { natsOptions } from '@app/messaging/nats-options';
import { openStreams } from '@app/messaging/streams';
import { startReceiver } from '@app/testing/http-receiver';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { migrationsOf } from './release/pack.ts';
import { readPaths, readReleaseData, releaseFile, releases, withoutAddress } from './release/release-data.ts';
import { openOrders, thoseOf, unchanging } from './release/unchanging.ts';
import { unpack } from './release/unpack.ts';
import { startLater } from './support/later.ts';
import { expectOwnPasswords } from './support/own-passwords.ts';
import { call } from './support/seller.ts';
import { readCredentials, startStandalone } from './support/standalone.ts';

const startedMs = Date.now();

/** Guarantee: this version starts on the databases and streams of every release, and nothing in them is lost. */
test('the release before has its data here', () => {
  expect(releases).toContain(releaseBefore);
});

test.each(releases)('the data of release %s are under 2 MB', async (version) => {
  expect((await stat(releaseFile(version))).size).toBeLessThan(2_000_000);
});

// A table changes by a further migration: databases that have applied one do not apply it again.
test.each(releases)('the migrations of release %s are unchanged, and new ones follow them', async (version) => {
  const { databases } = await readReleaseData(version);
  for (const service of serviceNames) {
    const { migrations } = databases[service];
    const present = await migrationsOf(service);
    expect([service, present.slice(0, migrations.length)]).toEqual([service, migrations]);
  }
});

test.each(releases)('this version starts on the data of release %s, shows them alike and sells', async (version) => {
  const directory = await mkdtemp(join(tmpdir(), 'funnelry-upgrade-'));
  const dataDir = join(directory, 'data');
  const release = await readReleaseData(version);
  await unpack(release, dataDir);
  const later = startLater();
  const settings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled', ...later.settings };
  const standalone = startStandalone(dataDir, await freePort(), settings);
  onTestFinished(async () => {
    await standalone.end('SIGKILL');
    later.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  await standalone.until(/^ready /);

  await expectKept(dataDir);
  await expectOwnPasswords(dataDir);
  const { baseUrl, apiKey, email, password } = await readCredentials(dataDir);
  const send = (method: string, path: string, body?: unknown) =>
    call(baseUrl, method, path, { body, headers: { authorization: `Bearer ${apiKey}` } });
  const open = openOrders(release);
  expect(open.size).toBeGreaterThan(0);
  const expectUnchanged = async (): Promise<void> => {
    for (const path of readPaths) {
      const response = withoutAddress((await send('GET', path)).text, baseUrl);
      const before = unchanging(release.responses[path], open);
      expect(thoseOf(before, response)).toMatchObject(before as object);
    }
  };
  await expectUnchanged();
  expect((await call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } })).status).toBe(200);

  const receiver = await startReceiver();
  expect((await send('PUT', '/api/v1/webhook-endpoint', { url: receiver.url })).status).toBe(200);
  const products: { slug: string; status: string }[] = (await send('GET', '/api/v1/products')).json.data;
  const slug = products.find(({ status }) => status === 'live')?.slug;
  const placed = await send('POST', '/api/v1/orders', { productSlug: slug, email: 'grace@example.com' });
  expect(placed.status).toBe(200);
  const [request] = await receiver.received(1, ({ body }) => body.includes(placed.json.orderId));
  expect(() =>
    new Webhook(release.webhookSecret).verify(request?.body ?? '', headersOf(request?.headers)),
  ).not.toThrow();

  // A year later every hold of the release is over. What this test finds then, it finds on any later day.
  later.advance(365 * dayMs);
  await expectUnchanged();
  expect((await send('GET', '/api/v1/affiliates')).json.data).toMatchObject([{ balances: [{ pending_cents: 0 }] }]);
});

/** Every stream of the release is there with its first event, as it was then: none was published anew. */
async function expectKept(dataDir: string): Promise<void> {
  const connections = JSON.parse(await readFile(join(dataDir, 'connections.json'), 'utf8'));
  for (const service of serviceNames.filter((name) => topology[name].publishes)) {
    const nats = await connectNats({ ...natsOptions(connections[service]), service });
    const { state } = await (await openStreams(nats)).streams.info(streamName(service));
    await nats.close();
    if (state.messages === 0) continue;
    expect([service, state.first_seq]).toEqual([service, 1]);
    expect(Date.parse(state.first_ts)).toBeLessThan(startedMs);
  }
}

const headersOf = (headers: object = {}): Record<string, string> => Object.fromEntries(Object.entries(headers));
