import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { orderPaid } from '@app/contracts/orders';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import { type EventConsumers, startConsumers } from '@app/messaging/consume';
import { runEventsCommand } from '@app/messaging/events-command';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { factEventHandlers } from '../src/facts/consumers.ts';
import { orderEvent } from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

let database: Database;
let link: NatsClient;
let replica: EventConsumers;

beforeAll(async () => {
  database = await openDatabase(databaseOptions(harness.databaseUrl));
  // A replica that scans for requested replays more often than every two seconds.
  link = await connectNats(harness.nats.login('metrics'));
  const handlers = factEventHandlers();
  replica = startConsumers({ nats: link, database, handlers, logger: silentLogger(), timing: { replayMs: 50 } });
});
afterAll(async () => {
  await replica.close();
  await link.close();
  await database.close();
});

async function run(...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const code = await runEventsCommand(
    'metrics',
    () => readConfig(harness.env),
    args,
    (line) => {
      said += `${line}\n`;
    },
  );
  return { code, said };
}

const facts = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ n: number }>('select count(*)::int as n from facts');
  return rows[0]?.n ?? 0;
};

/** Dead letters as a consumer leaves them. */
async function bury(events: readonly { id: string }[]): Promise<void> {
  for (const event of events) {
    await database.pool.query(
      `insert into dead_letters (event_id, stream, subject, payload, error) values ($1, 'EVT_CHECKOUT', $2, $3, 'Error: no')`,
      [event.id, orderPaid.subject, JSON.stringify(event)],
    );
  }
}

test('the command counts, lists in pages and replays dead letters, each of which takes effect once', async () => {
  expect(await run('count')).toEqual({ code: 0, said: 'metrics: 0 dead letters\n' });
  const events = Array.from({ length: 3 }, () => orderEvent('acc_a', 'prd_a'));
  await bury(events);
  expect((await run('count')).said).toMatch(/^3 {2}evt\.checkout\.order\.paid\.v1 .*\nmetrics: 3 dead letters\n$/);
  const ids = events.map(({ id }) => id).toSorted();
  const page = (await run('list', '--limit', '2')).said;
  expect(page).toContain(ids[0]);
  expect(page).not.toContain(ids[2]);
  expect(page).toContain(`go on with --after ${ids[1]}`);
  expect((await run('list', '--after', ids[1] ?? '', '--payload')).said).toContain(JSON.stringify('prd_a'));
  expect((await run('list', '--subject', 'evt.billing.subscription.started.v1')).said).toBe(
    'metrics: 0 of 0 dead letters\n',
  );
  const before = await facts();
  const replayed = 'metrics: 1 requested, 1 replayed, 0 failed again and were kept\n';
  expect(await run('replay', '--id', ids[0] ?? '')).toEqual({ code: 0, said: replayed });
  expect((await run('replay')).said).toContain('2 requested, 2 replayed, 0 failed');
  expect(await facts()).toBe(before + 3);
  // The same event once more: it is in the inbox.
  await bury(events.slice(0, 1));
  expect((await run('replay')).said).toContain('1 requested, 1 replayed');
  expect(await facts()).toBe(before + 3);
});

test('the command replays what the stream has since a time and the service has not', async () => {
  const since = new Date().toISOString();
  const before = await facts();
  for (let n = 0; n < 5; n += 1) await harness.publish(orderPaid, orderEvent('acc_b', 'prd_b'));
  await harness.handled();
  expect(await facts()).toBe(before + 5);
  expect((await run('replay-stream', '--since', since)).said).toContain('nothing waits any more, 0 dead letters');
  expect(await facts()).toBe(before + 5);
  await database.pool.query(
    `delete from inbox where event_id in (select event_id from inbox order by received_at desc limit 2)`,
  );
  expect(await run('replay-stream', '--since', since, '--subject', orderPaid.subject)).toMatchObject({ code: 0 });
});

test('it is a command of the service’s program', async () => {
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...harness.env };
  const { stdout } = await promisify(execFile)(process.execPath, [entry, 'events', 'count'], { env });
  expect(stdout).toBe('metrics: 0 dead letters\n');
});

test('a mistake in the arguments is said with the usage', async () => {
  expect(await run('forget')).toMatchObject({ code: 1, said: expect.stringContaining('replay-stream') });
  expect((await run('list', '--limit', '0')).said).toContain('--limit must be a whole number from 1 to 10000');
  expect((await run('replay-stream', '--since', 'noon')).said).toContain('--since must be a time such as');
  expect((await run('replay-stream', '--since', '2026-01-01', '--subject', 'evt.x')).said).toContain(orderPaid.subject);
});
