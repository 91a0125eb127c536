import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { copyMadeData } from './support/made-data.ts';
import { call } from './support/seller.ts';
import { readCredentials, type Standalone } from './support/standalone.ts';
import { dataDir, folderForEachTest, startInFolder } from './support/standalone-folder.ts';

/** Guarantee: `npm start` runs the daily job by itself, makes up one that it missed, the first one too, and runs none on a deployment whose accounts are new or in a copy. */
folderForEachTest();

/** Twelve hours away in both directions: no test meets it. */
const dailyAt = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16);

async function start(settings: Record<string, string> = {}): Promise<Standalone> {
  const standalone = startInFolder(await freePort(), { RATE_LIMIT_PER_MINUTE: '0', DAILY_AT: dailyAt, ...settings });
  await standalone.until(/^ready /);
  return standalone;
}

async function platform(method: string, path: string) {
  const { baseUrl, platformKey } = await readCredentials(dataDir);
  return await call(baseUrl, method, path, { headers: { authorization: `Bearer ${platformKey}` } });
}
const runs = async (): Promise<number> => (await platform('GET', '/api/v1/daily-runs')).json.data.length;

test('a missed run is made up at the next start, and none where there was none yet or in a copy', async () => {
  await copyMadeData(dataDir);
  const first = await start();
  expect(await runs()).toBe(0);
  expect((await platform('POST', '/api/cron/daily')).status).toBe(200);
  const connections = JSON.parse(await readFile(join(dataDir, 'connections.json'), 'utf8'));
  await query(connections.billing.DATABASE_URL, `update daily_runs set started_at = started_at - interval '3 days'`);
  expect(await first.end('SIGTERM')).toBe(0);

  const copy = await start({ INSTALLATION_ID: 'another' });
  expect(await runs()).toBe(1);
  expect(await copy.end('SIGTERM')).toBe(0);

  const second = await start();
  await second.until(/daily job, ok/);
  expect(await runs()).toBe(2);
});

test('a shop that was off at each DAILY_AT since its account was made gets its first run at the next start', async () => {
  await copyMadeData(dataDir);
  const first = await start({ DAILY_AT: 'off' });
  const connections = JSON.parse(await readFile(join(dataDir, 'connections.json'), 'utf8'));
  await query(connections.gateway.DATABASE_URL, `update accounts set created_at = created_at - interval '3 days'`);
  expect(await runs()).toBe(0);
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await start();
  await second.until(/daily job, ok/);
  expect(await runs()).toBe(1);
});

test('DAILY_AT is a time of day, or off', async () => {
  const standalone = startInFolder(await freePort(), { DAILY_AT: '3 am' });
  expect(await standalone.ended).toBe(1);
  expect(standalone.output()).toContain('DAILY_AT: must be a time of day in UTC');
});
