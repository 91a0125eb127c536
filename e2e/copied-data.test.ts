import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { serviceNames } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { roundEnded } from '@app/service-kit/background-loop';
import { installationKnown } from '@app/service-kit/installation';
import { expectFiring, hasPromtool, scrape } from '@app/testing/alerts';
import { startReceiver } from '@app/testing/http-receiver';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { expect, onTestFinished, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { logIn } from './support/first-seller.ts';
import { runScript } from './support/run-script.ts';
import { call } from './support/seller.ts';
import { type Credentials, readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { dataDir, folderForEachTest, running } from './support/standalone-folder.ts';

/** Guarantee: a copied DATA_DIR charges nobody and sends nothing, says so everywhere, and acts once its operator makes it the original. */
folderForEachTest();

/** As an operator starts it: what it is, is made of the machine and the directory. */
const settings = {
  INSTALLATION_ID: '',
  CLOCK_CONTROL: 'enabled',
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
};

/** Of the one that was started last. */
let healthPort: number;

async function start(directory: string, args: string[] = []): Promise<Standalone> {
  healthPort = await freePort();
  const figures = { METRICS_PAGE: 'enabled', HEALTH_PORT: String(healthPort) };
  const standalone = startStandalone(directory, await freePort(), { ...settings, ...figures }, args);
  running.push(standalone);
  await standalone.until(/^ready /);
  return standalone;
}

const as = async (directory: string, credential: 'apiKey' | 'platformKey' = 'apiKey') => {
  const credentials: Credentials = await readCredentials(directory);
  return (method: string, path: string, body?: unknown) =>
    call(credentials.baseUrl, method, path, {
      headers: { authorization: `Bearer ${credentials[credential]}` },
      ...(body === undefined ? {} : { body }),
    });
};

/** Two rounds from now on: the second began after this was called. */
const rounds = (...loops: string[]) => {
  const { announced } = listen();
  return Promise.all(loops.map((loop) => announced(roundEnded, (ended) => ended.loop === loop, 2)));
};

test('a copy only reads until it is adopted, and then does what waited; its original goes on as before', async () => {
  const original = await start(dataDir, ['--empty']);
  const seller = await as(dataDir);
  const receiver = await startReceiver({ respond: () => ({ status: 500 }) });
  onTestFinished(() => receiver.close());
  expect((await seller('PUT', '/api/v1/webhook-endpoint', { url: receiver.url })).status).toBe(200);
  const { handle, businessName } = (await seller('GET', '/api/v1/settings')).json;
  expect(businessName).toBe('My shop');
  const product = { name: 'Club', slug: 'club', priceCents: 1_900, currency: 'usd', status: 'live' };
  const monthly = { ...product, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller('POST', '/api/v1/products', monthly)).status).toBe(200);
  const { baseUrl } = await readCredentials(dataDir);
  const checkout = await openCheckout(baseUrl, { handle, slug: 'club', email: 'maya@example.com' });
  expect((await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json.status).toBe('paid');
  await receiver.received(1, ({ body }) => body.includes('order.paid'));
  expect(await original.end('SIGTERM')).toBe(0);

  const copyDir = `${dataDir}-copy`;
  await promisify(execFile)('cp', ['-Rp', dataDir, copyDir]);
  const copy = await start(copyDir);
  expect(copy.output()).toMatch(/this is a copy of an installation.*npm run adopt/);
  const [ofCopy, platform, there] = [
    await as(copyDir),
    await as(copyDir, 'platformKey'),
    await readCredentials(copyDir),
  ];
  expect((await call(there.baseUrl, 'GET', '/readyz')).json).toMatchObject({
    status: 'degraded',
    warnings: [expect.stringContaining('npm run adopt')],
  });
  if (hasPromtool) expectFiring([await scrape(healthPort, 10)], ['NothingGoesOut']);

  // A month later a renewal is due, and the webhooks that failed are.
  const sentBefore = receiver.requests.length;
  expect((await platform('PUT', '/api/dev/clock', { advance: 'P32D' })).status).toBe(200);
  expect((await platform('POST', '/api/cron/daily')).json).toMatchObject({ code: 'service_unavailable' });
  expect((await ofCopy('POST', '/api/cron/daily')).status).toBe(503);
  expect((await ofCopy('POST', '/api/v1/products', { ...monthly, slug: 'other' })).json.detail).toContain('copy');
  await rounds('webhook-dispatcher.deliveries', 'billing.payments');
  expect(receiver.requests.length).toBe(sentBefore);
  expect((await ofCopy('GET', '/api/v1/subscriptions')).json.data).toMatchObject([{ status: 'active' }]);
  expect((await ofCopy('GET', '/api/v1/payments')).json.data).toHaveLength(1);

  // What people read.
  const page = await call(there.baseUrl, 'GET', `/c/${handle}/club`);
  expect([page.status, page.text]).toEqual([503, expect.stringContaining('This shop is moving')]);
  const again = await call(there.baseUrl, 'POST', '/api/checkout', {
    body: { handle, slug: 'club', email: 'b@example.com' },
  });
  expect([again.status, again.json.detail]).toEqual([
    503,
    expect.stringContaining('look for a receipt before you pay again'),
  ]);
  const entered = await logIn(there);
  const headers = { cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  const orders = await call(there.baseUrl, 'GET', '/app/orders', { headers });
  expect([orders.status, orders.text]).toEqual([200, expect.stringContaining('This is a copy of an installation')]);

  const becoming = listen();
  // From a shell whose settings are not those of the process: what counts is what that was given.
  const adopted = await runScript('deploy/standalone/src/adopt.ts', [], {
    DATA_DIR: copyDir,
    INSTALLATION_ID: 'shell',
  });
  expect([adopted.code, adopted.output]).toEqual([0, expect.stringContaining('billing: this is the original now')]);
  await becoming.announced(installationKnown, ({ state }) => state === 'original', serviceNames.length);
  // A check has a second: a machine that does much else is not ready for a moment.
  const status = async () => (await call(there.baseUrl, 'GET', '/readyz')).json.status;
  await pollSystem('the adopted installation is healthy', async () => (await status()) === 'ok');
  expect((await platform('POST', '/api/cron/daily')).json).toMatchObject({ rebills: { charged: 1 } });
  await receiver.received(2, ({ body }) => body.includes('order.paid'));
  expect(await copy.end('SIGTERM')).toBe(0);

  const back = await start(dataDir);
  expect(back.output()).not.toContain('copy');
  expect((await (await as(dataDir))('GET', '/api/v1/payments')).json.data).toHaveLength(1);
});
