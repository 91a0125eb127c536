import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { beforeEach, expect, test } from 'vitest';
import { logIn, moveTo, ownerByLink } from './support/first-seller.ts';
import { copyMadeData } from './support/made-data.ts';
import { call } from './support/seller.ts';
import { type Credentials, readCredentials, type Standalone } from './support/standalone.ts';
import { dataDir, folderForEachTest, startInFolder } from './support/standalone-folder.ts';

/** Guarantee: a start without one of its files says which and how to go on; it never replaces what is in use. */
folderForEachTest();
beforeEach(() => copyMadeData(dataDir));

const start = async (...args: string[]): Promise<Standalone> =>
  startInFolder(await freePort(), { RATE_LIMIT_PER_MINUTE: '0' }, args);

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

test('without credentials.json or secrets.json nothing starts, nothing is replaced, and a flag goes on', async () => {
  const { apiKey, password } = await readCredentials(dataDir);
  const texts = async () =>
    await Promise.all([file('credentials.json'), file('secrets.json')].map((name) => readFile(name, 'utf8')));
  const before = await texts();

  await rename(file('credentials.json'), file('kept.json'));
  expect(await refusal()).toMatch(/credentials\.json is missing.*--new-credentials/);
  await rename(file('kept.json'), file('credentials.json'));
  await rename(file('secrets.json'), file('kept.json'));
  expect(await refusal()).toMatch(/secrets\.json is missing.*--new-secrets/);
  await rename(file('kept.json'), file('secrets.json'));
  expect(await texts()).toEqual(before);

  await rm(file('credentials.json'));
  const renewed = await startUntilReady('--new-credentials');
  expect(renewed.credentials.apiKey).not.toBe(apiKey);
  for (const key of [apiKey, renewed.credentials.apiKey]) {
    expect(await products(renewed.credentials.baseUrl, key)).toBe(0);
  }
  expect((await logIn({ ...renewed.credentials, password })).status).toBe(401);
  const entered = await logIn(renewed.credentials);
  expect(entered.status).toBe(200);
  // Of this file alone: files that share a process share what was announced.
  const email = 'renewed@example.com';
  expect(await moveTo(email, entered, renewed.credentials, file('emails'))).toEqual([200, 200]);
  await renewed.standalone.end('SIGTERM');

  await rm(file('secrets.json'));
  const anew = await startUntilReady('--new-secrets');
  expect(anew.credentials.email).toBe(email);
  expect(await ownerByLink(anew.standalone)).toBe(email);
  expect(await products(anew.credentials.baseUrl, apiKey)).toBe(401);
  expect(await products(anew.credentials.baseUrl, anew.credentials.apiKey)).toBe(0);
  expect((await logIn(anew.credentials)).status).toBe(200);
  await anew.standalone.end('SIGTERM');
});

test('a damaged file is named with what is wrong in it, before anything is started', async () => {
  // How each can be damaged is tested beside the functions that read them: each start that is refused takes a second.
  for (const [name, content, what] of [
    ['secrets.json', '[]', 'is damaged (it is not the JSON object it was)'],
    ['credentials.json', undefined, 'cannot be read'],
  ] as const) {
    await rename(file(name), file('kept.json'));
    await (content === undefined ? mkdir(file(name)) : writeFile(file(name), content));
    const said = await refusal();
    expect(said).toContain(`${file(name)} ${what}`);
    expect(said).toMatch(/backup.*--new-/);
    await rm(file(name), { recursive: true });
    await rename(file('kept.json'), file(name));
  }
  await rename(file('postgres'), file('elsewhere'));
  expect(await refusal()).toMatch(/cluster, the databases, is missing/);
});
