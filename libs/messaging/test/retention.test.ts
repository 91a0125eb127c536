import { deleteExpired } from '@app/service-kit/retention';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { deadLetterKeepDays, inboxKeepDays, messagingRetention } from '../src/retention.ts';
import { streamKeepDays } from '../src/streams.ts';
import { eachTestHasDb } from './harness.ts';

guardLeaks();

const rig = eachTestHasDb({});

const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await rig.db.database.pool.query(sql, values)).rows as Row[];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

const allNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(allNodes)];

test('the inbox remembers an event longer than the stream can deliver it', () => {
  expect(inboxKeepDays).toBeGreaterThan(streamKeepDays);
});

test('what has had its time goes, and nothing younger', async () => {
  for (const [id, days] of [
    ['old', inboxKeepDays + 1],
    ['young', inboxKeepDays - 1],
  ] as const) {
    await query(`insert into inbox (event_id, received_at) values ($1, now() - make_interval(days => $2))`, [id, days]);
    await query(
      `insert into event_attempts (event_id, attempts, attempted_at) values ($1, 1, now() - make_interval(days => $2))`,
      [id, days],
    );
  }
  for (const [id, days] of [
    ['old', deadLetterKeepDays + 1],
    ['young', deadLetterKeepDays - 1],
  ] as const) {
    await query(
      `insert into dead_letters (event_id, stream, subject, payload, error, died_at)
       values ($1, 's', 's', '{}', 'e', now() - make_interval(days => $2))`,
      [id, days],
    );
  }
  await deleteExpired(rig.db.database, messagingRetention);
  for (const table of ['inbox', 'event_attempts', 'dead_letters'])
    expect(await query(`select event_id from ${table}`)).toEqual([{ event_id: 'young' }]);
});

test('after the first period a check that finds nothing due reads a handful of pages, not the table', async () => {
  const each = volume(20_000, 60_000);
  // Two periods of a busy service, of which the first was deleted and its space given to younger rows.
  const fill = `insert into inbox (event_id, received_at)
    select $1 || n, now() - make_interval(days => $2) + n * interval '1 second' from generate_series(1, ${each}) as n`;
  await query(fill, ['a', inboxKeepDays + 5]);
  await query(fill, ['b', inboxKeepDays - 5]);
  await deleteExpired(rig.db.database, messagingRetention);
  await query('vacuum inbox');
  await query(fill, ['c', inboxKeepDays - 10]);
  await query('vacuum analyze inbox');
  const [pages] = await query<{ n: number }>(
    `select (pg_relation_size('inbox') / 8192)::int as n from pg_class limit 1`,
  );
  expect(pages?.n).toBeGreaterThan(each / 120);
  const prune = messagingRetention.find(({ statement }) => statement().text.includes('delete from inbox'));
  if (prune === undefined) throw new Error('the inbox has no retention');
  const [row] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${prune.statement().text}`,
    [prune.limit(), 20_000],
  );
  const plan = row?.['QUERY PLAN'][0].Plan as Plan;
  expect(allNodes(plan).map((node) => node['Index Name'])).toContain('inbox_received');
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(20);
});

test.each(['inbox', 'commands', 'dead_letters'])(
  'a deletion from %s reads what it deletes, and not the table',
  async (table) => {
    const columns = { inbox: '', commands: '', dead_letters: ', stream, subject, payload, error' }[table];
    const values = table === 'dead_letters' ? `, 's', 's', '{}', 'e'` : '';
    const [key, when] = { inbox: ['event_id', 'received_at'], commands: ['id', 'created_at'] }[table] ?? [
      'event_id',
      'died_at',
    ];
    const fill = async (name: string, count: number, days: number) =>
      await query(
        `insert into ${table} (${key}, ${when}${columns})
       select $1 || n, now() - make_interval(days => $2)${values} from generate_series(1, $3::int) as n`,
        [name, days, count],
      );
    await fill('young', 60_000, 1);
    await fill('expired', 500, deadLetterKeepDays + 5);
    await query(`vacuum analyze ${table}`);
    const rule = messagingRetention.find(({ statement }) => statement().text.includes(`delete from ${table} `));
    if (rule === undefined) throw new Error(`${table} has no retention`);
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${rule.statement().text}`,
      [rule.limit(), 20_000],
    );
    const nodes = allNodes(row?.['QUERY PLAN'][0].Plan as Plan);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(nodes.map((node) => node['Node Type'])).toContain('Tid Scan');
    expect(await query(`select count(*)::int as n from ${table}`)).toEqual([{ n: 60_000 }]);
  },
);
