import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '@app/contracts/version';
import { freePort } from '@app/embedded/ports';
import { print } from '../support/print.ts';
import { call } from '../support/seller.ts';
import { readCredentials, startStandalone } from '../support/standalone.ts';
import { pack } from './pack.ts';
import { goneReceiver, readPaths, withoutAddress, writeReleaseData } from './release-data.ts';

/** `npm run release:data`: what this version leaves in its data directory, for the next one to start on. */
const directory = await mkdtemp(join(tmpdir(), 'funnelry-release-'));
const dataDir = join(directory, 'data');
const settings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };
const standalone = startStandalone(dataDir, await freePort(), settings);
try {
  await standalone.until(/^ready /);
  const { baseUrl, apiKey } = await readCredentials(dataDir);
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await call(baseUrl, method, path, { body, headers: { authorization: `Bearer ${apiKey}` } });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const { secret } = (await send('PUT', '/api/v1/webhook-endpoint', { url: goneReceiver })).json;
  await send('POST', '/api/v1/automations', {
    name: 'Notify the course',
    event: 'order.paid',
    action: { type: 'post', url: goneReceiver },
  });
  const products: { slug: string; status: string }[] = (await send('GET', '/api/v1/products')).json.data;
  for (const { slug } of products.filter(({ status }) => status === 'live'))
    await send('POST', '/api/v1/orders', { productSlug: slug, email: 'ada@example.com' });
  const responses: Record<string, unknown> = {};
  for (const path of readPaths) responses[path] = withoutAddress((await send('GET', path)).text, baseUrl);
  const code = await standalone.end('SIGTERM');
  if (code !== 0) throw new Error(`it ended with ${code}:\n${standalone.output()}`);
  const bytes = await writeReleaseData({ version, ...(await pack(dataDir)), responses, webhookSecret: secret });
  print(`The data of ${version}: ${(bytes / 1e6).toFixed(2)} MB`);
} finally {
  await standalone.end('SIGKILL');
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
