import { newId } from '@app/contracts/ids';
import type { Client, Database } from '@app/service-kit/database';
import { isDiskFull } from '@app/service-kit/outages';
import { volume } from '@app/testing/long';
import { wholeWork } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { runDailyForAccount } from '../src/daily-run/start-daily-run.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { dailyDepsOf } from './daily-deps.ts';
import { minuteMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { subscribeMany } from './subscriptions-of-tests.ts';

openReplicas();

const due = 8;

const writes = /\b(insert into|delete from|update \w+( as \w+)? set)\b/;

class DiskFullError extends Error {
  readonly code = '53100';
}

/** A database whose disk has room for so many writes more; reads are answered on. */
function diskWith(room: number): Wrap & { full: boolean; enough(): void } {
  let left = room;
  const query =
    <Config, Result>(run: (config: Config) => Promise<Result>) =>
    async (config: Config): Promise<Result> => {
      const text = typeof config === 'string' ? config : (config as { text: string }).text;
      if (writes.test(text)) {
        disk.full ||= left === 0;
        if (disk.full && left === 0) throw new DiskFullError('could not extend file: No space left on device');
        left -= 1;
      }
      return await run(config);
    };
  const over = <Of extends Client | Database['pool']>(inner: Of): Of =>
    Object.assign(Object.create(inner) as Of, {
      query: query((config: Parameters<Of['query']>[0]) => inner.query(config as never)),
      connect: () => inner.connect(),
    });
  const disk = {
    full: false,
    enough: () => {
      left = Number.POSITIVE_INFINITY;
    },
    database: (database: Database): Database => ({
      ...database,
      pool: over(database.pool),
      transaction: (work, lastOf) => database.transaction((client) => wholeWork(work, lastOf)(over(client))),
    }),
  };
  return disk;
}

function run({ deps }: Replica, account: string) {
  const { clock } = deps;
  const daily = dailyDepsOf(deps, dailySteps(deps));
  const runId = newId('dailyRun', clock.nowMs());
  return runDailyForAccount(daily, account, { runId, deadlineMs: Number.POSITIVE_INFINITY, force: true });
}

test('a disk that fills at any write of a run leaves nothing half done, and the next run charges the rest', async () => {
  for (let room = 0, filled = true; filled; room += volume(3, 1)) {
    const account = newAccount();
    replicas.clock.set('2026-02-01T12:00:00.000Z');
    await subscribeMany(replicas, account, due);
    replicas.clock.set('2026-03-01T12:00:00.000Z');
    const disk = diskWith(room);
    const replica = replicas.start(disk);
    const first = await run(replica, account).catch((err: unknown) => (isDiskFull(err) ? null : Promise.reject(err)));
    filled = disk.full;
    await expectAllOrNothing(account);
    disk.enough();
    replicas.clock.advance(2 * minuteMs);
    // A run without a result is counted by the next one. What only reports progress may fail without a loss.
    const charged = first === null ? due : 0;
    if (first !== null) expect([room, first]).toMatchObject([room, { ok: true, rebills: { charged: due } }]);
    expect([room, await run(replica, account)]).toMatchObject([room, { ok: true, rebills: { charged }, blocked: 0 }]);
    const books = (await replicas.books(account)).map(({ orderId, status }) => [orderId, status]);
    expect([books.length, new Set(books.map(([order]) => order)).size]).toEqual([due, due]);
    expect(await counted(account)).toEqual({ subscriptions: due, renewals: due, charges: due, events: due });
  }
});

/** What a statement writes it writes whole: charges, paid periods, moved subscriptions and events are equally many. */
async function expectAllOrNothing(account: string): Promise<void> {
  const { subscriptions, ...others } = await counted(account);
  expect(others).toEqual({ renewals: subscriptions, charges: subscriptions, events: subscriptions });
}

/** How many subscriptions were renewed, as each table has it. */
async function counted(account: string): Promise<Record<string, number>> {
  const { rows } = await replicas.database.pool.query<Record<string, number>>(
    `select
       (select count(*)::int from subscriptions where account_id = $1 and period = 2) as subscriptions,
       (select count(*)::int from renewals where account_id = $1 and status = 'paid') as renewals,
       (select count(*)::int from charges where account_id = $1) as charges,
       (select count(*)::int from outbox where subject like '%subscription.rebilled%'
          and payload::json ->> 'accountId' = $1) as events`,
    [account],
  );
  return rows[0] as Record<string, number>;
}
