import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { eventually } from '@app/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call } from './support/seller.ts';
import { type Credentials, readCredentials, type Standalone, startStandalone } from './support/standalone.ts';

/** Guarantee: a start without one of its files says which and how to go on; it never replaces what is in use. */
let dataDir: string;
let running: Standalone[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'funnelry-files-'));
  running = [];
});

afterEach(async () => {
  for (const standalone of running) await standalone.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function start(...args: string[]): Promise<Standalone> {
  const standalone = startStandalone(dataDir, await freePort(), { RATE_LIMIT_PER_MINUTE: '0' }, args);
  running.push(standalone);
  return standalone;
}

async function startUntilReady(...args: string[]): Promise<{ standalone: Standalone; credentials: Credentials }> {
  const standalone = await start(...args);
  await standalone.until(/^ready /);
  return { standalone, credentials: await readCredentials(dataDir) };
}

async function refusal(): Promise<string> {
  const standalone = await start();
  expect(await standalone.ended).toBe(1);
  expect(standalone.output()).not.toContain('PostgreSQL …');
  return standalone.output();
}

const file = (name: string): string => join(dataDir, name);

async function products(baseUrl: string, apiKey: string) {
  const answer = await call(baseUrl, 'GET', '/api/v1/products', { headers: { authorization: `Bearer ${apiKey}` } });
  return answer.status === 200 ? answer.json.data.length : answer.status;
}

async function login({ baseUrl, email, password }: Credentials): Promise<number> {
  return (await call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } })).status;
}

test('without credentials.json or secrets.json nothing starts, nothing is replaced, and a flag goes on', async () => {
  const first = await startUntilReady('--empty');
  await first.standalone.end('SIGTERM');
  const { apiKey, password } = first.credentials;

  await rename(file('credentials.json'), file('kept.json'));
  expect(await refusal()).toMatch(/credentials\.json is missing.*--new-credentials/);
  await rename(file('kept.json'), file('credentials.json'));
  await rename(file('secrets.json'), file('kept.json'));
  expect(await refusal()).toMatch(/secrets\.json is missing.*--new-secrets/);
  await rename(file('kept.json'), file('secrets.json'));
  const again = await startUntilReady();
  expect(await products(again.credentials.baseUrl, apiKey)).toBe(0);
  await again.standalone.end('SIGTERM');

  await rm(file('credentials.json'));
  const renewed = await startUntilReady('--new-credentials');
  expect(renewed.credentials.apiKey).not.toBe(apiKey);
  for (const key of [apiKey, renewed.credentials.apiKey]) {
    expect(await products(renewed.credentials.baseUrl, key)).toBe(0);
  }
  expect(await login({ ...renewed.credentials, password })).toBe(401);
  expect(await login(renewed.credentials)).toBe(200);
  await renewed.standalone.end('SIGTERM');

  await rm(file('secrets.json'));
  const anew = await startUntilReady('--new-secrets');
  expect(await products(anew.credentials.baseUrl, apiKey)).toBe(401);
  expect(await products(anew.credentials.baseUrl, anew.credentials.apiKey)).toBe(0);
  expect(await login(anew.credentials)).toBe(200);
  await anew.standalone.end('SIGTERM');
});

test('a damaged file is named with what is wrong in it, before anything is started', async () => {
  const first = await startUntilReady('--empty');
  await first.standalone.end('SIGTERM');
  for (const name of ['secrets.json', 'credentials.json']) {
    const whole = await readFile(file(name), 'utf8');
    const [field] = Object.keys(JSON.parse(whole));
    const damaged = {
      '': 'not the JSON object',
      [whole.slice(0, 40)]: 'not the JSON object',
      '[]': 'not the JSON object',
      [JSON.stringify({ ...JSON.parse(whole), [field ?? '']: 5 })]: `wrong or missing: ${field}`,
    };
    for (const [content, what] of Object.entries(damaged)) {
      await writeFile(file(name), content);
      const said = await refusal();
      expect(said).toContain(`${file(name)} is damaged (`);
      expect(said).toContain(what);
      expect(said).toMatch(/backup.*--new-/);
    }
    await rm(file(name));
    await mkdir(file(name));
    expect(await refusal()).toContain(`${file(name)} cannot be read`);
    await rm(file(name), { recursive: true });
    await writeFile(file(name), whole);
  }
  await rename(file('postgres'), file('elsewhere'));
  expect(await refusal()).toMatch(/cluster, the databases, is missing/);
});

test('a first start that is killed at every one of its steps is finished by the next one, with one shop', async () => {
  const steps = [/PostgreSQL …/, /PostgreSQL on/, /catalog ready/, /now its orders/, /demo shop ready/];
  for (const step of steps) {
    const standalone = await start();
    // A kill that comes late may leave nothing to do for the next start: that one is ready without the step.
    await standalone.until(new RegExp(`${step.source}|^ready `));
    await standalone.end('SIGKILL');
  }
  const { credentials } = await startUntilReady();
  const { baseUrl, apiKey } = credentials;
  expect(await login(credentials)).toBe(200);
  const listed = await call(baseUrl, 'GET', '/api/v1/products', { headers: { authorization: `Bearer ${apiKey}` } });
  const slugs = listed.json.data.map((product: { slug: string }) => product.slug);
  expect(slugs).toHaveLength(5);
  expect(new Set(slugs).size).toBe(5);
  const said = running.map((each) => each.output()).join('');
  const [, orders] = /demo shop ready: (\d+) orders/.exec(said) ?? [];
  const counted = async (): Promise<number> => {
    const answers = listed.json.data.map((product: { id: string }) =>
      call(baseUrl, 'GET', `/api/metrics/${product.id}`, { headers: { authorization: `Bearer ${apiKey}` } }),
    );
    const metrics = (await Promise.all(answers)) as { json: { summary: { orders: number } } }[];
    return metrics.reduce((sum, { json }) => sum + json.summary.orders, 0);
  };
  await eventually(async () => expect(await counted()).toBe(Number(orders)), { withinMs: 30_000, everyMs: 200 });
});
