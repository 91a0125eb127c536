import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { startReceiver } from '@app/testing/http-receiver';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { logIn } from './support/first-seller.ts';
import { runScript } from './support/run-script.ts';
import { call } from './support/seller.ts';
import { readCredentials, type Standalone } from './support/standalone.ts';
import { dataDir, folderForEachTest, startInFolder } from './support/standalone-folder.ts';

/** Guarantee: secrets are rotated while requests go on; what is under those before works until it is sealed anew, and afterwards without them. */
folderForEachTest();

const settings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };
const script = 'deploy/standalone/src/rotate-secrets.ts';
const rotate = (...args: string[]) => runScript(script, args, { DATA_DIR: dataDir });

async function startAnew(before?: Standalone): Promise<Standalone> {
  if (before !== undefined) expect(await before.end('SIGTERM')).toBe(0);
  const started = startInFolder(await freePort(), settings);
  await started.until(/^ready /);
  return started;
}

const send = async (method: string, path: string, body?: unknown) => {
  const { baseUrl, apiKey } = await readCredentials(dataDir);
  return await call(baseUrl, method, path, { body, headers: { authorization: `Bearer ${apiKey}` } });
};

// It starts ten programs, one after the other.
test('secrets are rotated under load: the old ones open, the new ones take over, and the old ones can go', {
  timeout: 600_000,
}, async () => {
  const first = await startAnew();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const endpoint = { url: receiver.url, headers: { 'x-receiver-key': 'rk_1' } };
  const { secret } = (await send('PUT', '/api/v1/webhook-endpoint', endpoint)).json;
  const products: { slug: string; status: string }[] = (await send('GET', '/api/v1/products')).json.data;
  const productSlug = products.find(({ status }) => status === 'live')?.slug;
  /** An order, whose webhook has its header and the signature of before. */
  let buyers = 0;
  const sell = async (): Promise<void> => {
    buyers += 1;
    const placed = await send('POST', '/api/v1/orders', { productSlug, email: `buyer-${buyers}@example.com` });
    expect([placed.status, placed.text]).toEqual([200, expect.any(String)]);
    const [request] = await receiver.received(1, ({ body }) => body.includes(placed.json.orderId));
    expect(request?.headers['x-receiver-key']).toBe('rk_1');
    const headers = Object.fromEntries(Object.entries(request?.headers ?? {}));
    expect(() => new Webhook(secret).verify(request?.body ?? '', headers as Record<string, string>)).not.toThrow();
  };
  await sell();

  const before = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  expect((await rotate('begin')).code).toBe(0);
  expect((await rotate('begin')).output).toContain('A rotation is under way');
  const second = await startAnew(first);
  // A run that is killed, and one to its end, while requests go on that do not use the API key.
  const credentials = await readCredentials(dataDir);
  const logIns = Promise.all([1, 2, 3].map(() => logIn(credentials)));
  await runScript(script, [], { DATA_DIR: dataDir }, { killAt: /sealed anew/ });
  const rotated = await rotate();
  expect((await logIns).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(rotated.output).toContain('webhook-dispatcher: nothing is left: SECRETS_KEY_PREVIOUS may be removed');
  expect(rotated.output).toMatch(/gateway: left under KEY_PEPPER_PREVIOUS: 1 API keys, which move at their next use/);
  expect(rotated.code).toBe(2);
  const [again] = await Promise.all([rotate(), sell(), sell(), sell()]);
  expect(again.output).toContain('webhook-dispatcher: nothing is left');
  expect((await rotate()).output).not.toContain('API keys, which');

  expect((await rotate('end')).code).toBe(0);
  await startAnew(second);
  const after = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  expect([after.previous, after.keyPepper === before.keyPepper, after.secretsKey === before.secretsKey]).toEqual([
    undefined,
    false,
    false,
  ]);
  await sell();
});
