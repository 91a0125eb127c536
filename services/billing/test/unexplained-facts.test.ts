import { newId } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { plannedScans } from '@app/testing/sql';
import { inTurn } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { writeFacts } from '../src/ledger/write-facts.ts';
import { compareBooks } from '../src/reconciliation/books/compare-books.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { type DailyCounts, noCounts } from '../src/runs/daily-counts.rules.ts';
import { cancelSubscription } from '../src/subscriptions/subscriptions.ts';
import { copyDatabase } from './database-copy.ts';
import { factsOf } from './facts.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, runOf, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { actedAt, answeredAt } from './sellers-acts.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

const entries = (sql: string, ...values: unknown[]) =>
  replicas.database.pool.query(sql.replaceAll('entries', 'simulated_processor.entries'), values);

async function pay(by: Replica, accountId: string, fields: Parameters<typeof startInput>[0] = {}) {
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs() - minuteMs), ...fields });
  await startPayment(by.deps, { accountId, requestId: 'r' }, input);
  return input.orderId;
}

/** A daily run that only compares: what it could not explain. */
async function orphansOf(by: Replica, account: string) {
  const run = runOf(account, by.deps);
  const { pool } = replicas.database;
  await pool.query('insert into daily_runs (id, account_id, started_at) values ($1, $2, now())', [run.runId, account]);
  await compareBooks(by.deps, run, noCounts());
  const { rows } = await pool.query<{ orphans: { side: string; kind: string; id: string }[] | null }>(
    `select books -> 'orphans' as orphans from daily_runs where id = $1`,
    [run.runId],
  );
  return (rows[0]?.orphans ?? []).map(({ side, kind, id }) => [side, kind, id]);
}

async function daily(by: Replica, account: string, confirmsUnmatched = false): Promise<DailyCounts['problems']> {
  const counts = noCounts();
  const run = { ...runOf(account, by.deps), confirmsUnmatched };
  for (const step of dailySteps(by.deps)) await step(by.deps, run, counts);
  return counts.problems;
}

const dies = () => Promise.reject(Object.assign(new Error('killed'), { code: 'ECONNRESET' }));

test('a fact of the other mode, of another processor or of another account shows no charge of ours', async () => {
  const [account, other, replica] = [newAccount(), newAccount(), replicas.start()];
  const orderId = await pay(replica, account);
  const [payment] = (await replicas.money(account, orderId)).payments;
  await entries('delete from entries where account_id = $1', account);
  // They were shown by readings of the same moment.
  await replicas.database.pool.query(
    `insert into processor_facts (account_id, processor, test, reference, kind, amount_cents, currency, happened_at, payment_id,
       order_id, seen_by, seen_at)
     select whose.account_id, whose.processor, whose.test, f.reference, f.kind, f.amount_cents, f.currency, $3, f.payment_id, f.order_id,
       'list', $3
     from processor_facts as f, (values ($1, 'simulated', true), ($1, 'stripe', false), ($2, 'simulated', false))
       as whose(account_id, processor, test)
     where f.account_id = $1`,
    [account, other, replicas.clock.now()],
  );
  expect(await orphansOf(replica, account)).toEqual([['platform', 'charge', payment?.id]]);
});

test('a payment of the other mode or of another account explains no fact', async () => {
  const [account, other, replica] = [newAccount(), newAccount(), replicas.start()];
  await pay(replica, account, { test: true });
  await pay(replica, other);
  await entries(
    `insert into entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency, order_id, parameters, recorded_at)
     select $1, false, payment_id, 'copy_' || reference, kind, status, amount_cents, currency, order_id, parameters, recorded_at
     from entries where account_id in ($1, $2) order by seq`,
    account,
    other,
  );
  // Nor does it where the reference is the same: as after the seller has moved to another account of the processor.
  await replicas.database.pool.query(
    `update payments set processor_reference = 'copy_' || processor_reference where account_id in ($1, $2)`,
    [account, other],
  );
  await replicas.database.pool.query(
    `update charges set reference = 'copy_' || reference where account_id in ($1, $2)`,
    [account, other],
  );
  const copies = await entries(
    `select reference from entries where account_id = $1 and reference like 'copy_%' order by seq`,
    account,
  );
  expect(await orphansOf(replica, account)).toEqual(
    copies.rows.map(({ reference }) => ['processor', 'charge', reference]),
  );
  expect(copies.rows).toHaveLength(2);
});

test('what a later list does not show is missing there, whatever an earlier one showed', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const orderId = await pay(replica, account);
  expect(await orphansOf(replica, account)).toEqual([]);
  await entries('delete from entries where account_id = $1', account);
  replicas.clock.advance(dayMs);
  const [payment] = (await replicas.money(account, orderId)).payments;
  expect(await orphansOf(replica, account)).toEqual([['platform', 'charge', payment?.id]]);
  const kept = (await factsOf(replicas.database, account)).map(({ seen_by, kind }) => [seen_by, kind]);
  expect(kept).toEqual([
    ['answer', 'charge'],
    ['list', 'charge'],
  ]);
});

/** A renewal that was charged and that the restored database lacks. */
async function lostRenewal() {
  const account = newAccount();
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const copy = await copyDatabase(replicas.database);
  await daily(replicas.start(), account);
  await copy.restore();
  replicas.clock.advance(hourMs);
  const charged = async () =>
    (await replicas.books(account)).filter(({ kind, status }) => kind === 'charge' && status === 'succeeded').length;
  return { account, charged, period: async () => (await readSubscription(replicas, id)).period };
}

test('a list whose reader is killed between a fact and what follows from it: the next run acts, also one that is confirmed', async () => {
  const { account, charged, period } = await lostRenewal();
  await daily(replicas.start(actedAt('facts-write', 'after', dies)), account);
  expect((await factsOf(replicas.database, account)).map(({ seen_by, lacked }) => [seen_by, lacked])).toContainEqual([
    'list',
    true,
  ]);
  expect(await daily(replicas.start(), account, true)).toEqual([]);
  expect([await charged(), await period()]).toEqual([1, 2]);
  expect(await daily(replicas.start(), account)).toEqual([]);
});

test('an answer whose process is killed once it is recorded is told once, and its order goes on', async () => {
  const account = newAccount();
  const killed = replicas.start(answeredAt('after', dies));
  await expect(pay(killed, account)).rejects.toThrow();
  replicas.clock.advance(2 * minuteMs);
  await replicas.start().round();
  expect((await factsOf(replicas.database, account)).map(({ seen_by }) => seen_by)).toEqual(['answer']);
  expect(await orphansOf(replicas.start(), account)).toEqual([]);
});

test('what the seller confirmed stops no charge again, however often lists show it, and what is found since does', async () => {
  const account = newAccount();
  await subscribe(replicas, account);
  const replica = replicas.start();
  replicas.clock.advance(30 * dayMs);
  await daily(replica, account);
  const loseSale = async () => {
    const copy = await copyDatabase(replicas.database);
    await pay(replicas.start(), account);
    await copy.restore();
  };
  await loseSale();
  replicas.clock.advance(dayMs);
  const stopped = [{ code: 'charging_stopped' }, { code: 'orphans_found' }];
  expect(await daily(replica, account)).toMatchObject(stopped);
  expect(await daily(replica, account, true)).toMatchObject([{ code: 'orphans_found' }]);
  expect((await factsOf(replicas.database, account)).filter(({ seen_by }) => seen_by === 'seller')).toHaveLength(1);
  // The list shows it to these runs too.
  const other = await subscribe(replicas, account);
  replicas.clock.advance(dayMs);
  expect(await daily(replica, account)).toMatchObject([{ code: 'orphans_found' }]);
  replicas.clock.advance(30 * dayMs);
  await loseSale();
  expect(await daily(replica, account)).toMatchObject(stopped);
  expect((await readSubscription(replicas, other.id)).period).toBe(1);
});

test('a renewal that got lost on its way is not sent again while the account waits for its seller', async () => {
  const account = newAccount();
  await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const replica = replicas.start();
  replica.fail('request_lost');
  await daily(replica, account);
  const at = replicas.clock.now();
  const of = {
    reference: 'ch_1',
    paymentId: newId('payment', at.getTime()),
    orderId: null,
    about: null,
    message: null,
  };
  const fact = {
    ...of,
    kind: 'charge',
    status: 'succeeded',
    amountCents: 4_900,
    currency: 'usd',
    recordedAt: at,
  } as const;
  const whose = { accountId: account, processor: 'simulated', test: false };
  await writeFacts(replicas.database, whose, [fact], { by: 'list', at });
  const charged = async () => (await replicas.books(account)).map(({ kind, status }) => [kind, status]);
  replicas.clock.advance(hourMs);
  await replica.round();
  await daily(replica, account);
  expect(await charged()).toEqual([]);
  await daily(replica, account, true);
  replicas.clock.advance(dayMs);
  await daily(replica, account);
  expect(await charged()).toEqual([['charge', 'succeeded']]);
});

/** A renewal whose request got lost, in a backup; what happened afterwards is forgotten. */
async function lostRequest(happens: (life: { account: string; id: string; replica: Replica }) => Promise<void>) {
  const account = newAccount();
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const replica = replicas.start();
  replica.fail('request_lost');
  await daily(replica, account);
  const copy = await copyDatabase(replicas.database);
  await happens({ account, id, replica });
  await copy.restore();
  replicas.clock.advance(hourMs);
  const renewed = async () =>
    (await replicas.books(account)).filter(({ kind, amountCents }) => kind === 'charge' && amountCents === 1_900)
      .length;
  return { account, id, renewed };
}

test('a restored database sends no renewal again before the processor’s list says whether it lacks anything', async () => {
  const { account, renewed } = await lostRequest(async ({ account: by, id, replica }) => {
    await cancelSubscription(replica.deps, commandOf(by), id);
    await pay(replica, by);
  });
  const replica = replicas.start();
  await replica.round();
  expect(await renewed()).toBe(0);
  // Nothing else of the account is due.
  expect(await daily(replica, account)).toMatchObject([{ code: 'orphans_found' }]);
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(await renewed()).toBe(0);
});

test('where the list lacks nothing, or could be read at last, a renewal that got lost is sent again once', async () => {
  const { renewed } = await lostRequest(async () => undefined);
  const replica = replicas.start();
  replica.failList();
  await replica.round();
  expect(await renewed()).toBe(0);
  replicas.clock.advance(hourMs);
  await replica.round();
  await replicas.start().round();
  expect(await renewed()).toBe(1);
});

/** Two buyers of an account who were given all back after the backup that the database is restored from, and whose renewals are due. */
async function lostRefunds() {
  const account = newAccount();
  const lives = [];
  for (let sold = 0; sold < 2; sold += 1) {
    const orderId = await pay(replicas.start(), account);
    lives.push(await subscribe(replicas, account, { orderId, paymentMethod: null }));
  }
  const [first, second] = lives as [(typeof lives)[0], (typeof lives)[0]];
  const other = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const copy = await copyDatabase(replicas.database);
  for (const { orderId } of lives)
    await refundCharges(replicas.start().deps, { accountId: account, requestId: 'r' }, orderId);
  await copy.restore();
  replicas.clock.advance(minuteMs);
  return { account, first, second, other };
}

test('a fact that cannot be followed is a problem of its own: its order is not charged, and all others go on', async () => {
  const { account, first, second, other } = await lostRefunds();
  const fails = () => replicas.start(failingFor(first.orderId));
  expect((await daily(fails(), account)).map(({ code }) => code)).toEqual([
    ...['charging_stopped', 'books_not_compared', 'orphans_found'],
  ]);
  const problems = await daily(fails(), account, true);
  expect(problems).toMatchObject([
    { code: 'books_not_compared', detail: expect.stringMatching(new RegExp(`refund of .* of order ${first.orderId}`)) },
    { code: 'orphans_found' },
  ]);
  const stateOf = async ({ id }: { readonly id: string }) => {
    const { status, period } = await readSubscription(replicas, id);
    return [status, period];
  };
  expect(await stateOf(other)).toEqual(['active', 2]);
  expect([await stateOf(first), await stateOf(second)]).toEqual([
    ['active', 1],
    ['canceled', 1],
  ]);
  // However long that takes: its day is read until it is followed.
  for (let day = 0; day < 10; day += 1) {
    replicas.clock.advance(dayMs);
    await daily(fails(), account);
    expect(await stateOf(first)).toEqual(['active', 1]);
  }
  await daily(replicas.start(), account);
  expect(await stateOf(first)).toEqual(['canceled', 1]);
  expect(await daily(replicas.start(), account)).toEqual([]);
});

/** A process in which whatever is written of refunds of this order fails. */
const failingFor = (orderId: string): Wrap => ({
  database: (inner) => ({
    ...inner,
    transaction: (work, ...rest) =>
      inner.transaction(
        async (client) => {
          const query = async (config: { readonly name?: string }, values?: unknown[]) => {
            const about: readonly unknown[] = values ?? (config as { values?: unknown[] }).values ?? [];
            if (config.name === 'refunds-insert-found' && about.includes(orderId))
              throw new Error('a fault of one order');
            return client.query(config as never, values as never);
          };
          return await work(inTurn(client, query));
        },
        ...rest,
      ),
  }),
});

test('the deadline of a page begins anew with each fact of it that is followed', async () => {
  const { account } = await lostRefunds();
  const seen: string[] = [];
  const { deps } = replicas.start();
  const watched: Replica['deps'] = {
    ...deps,
    database: {
      ...deps.database,
      transaction: async (...of) => {
        seen.push('followed');
        return await deps.database.transaction(...of);
      },
    },
    processorCalls: {
      ...deps.processorCalls,
      make: (call, options) =>
        deps.processorCalls.make(
          (signal, untimed, goesOn) =>
            call(signal, untimed, () => {
              seen.push('goes on');
              goesOn();
            }),
          options,
        ),
    },
  };
  await compareBooks(watched, runOf(account, deps), noCounts());
  const first = seen.indexOf('followed');
  expect(seen.slice(first, first + 4)).toEqual(['followed', 'goes on', 'followed', 'goes on']);
});

test('what stops charges here stops a process of the release before too, until the seller confirms', async () => {
  const { account } = await lostRenewal();
  /** As that release reads it. */
  const stopping = async () =>
    (
      await replicas.database.pool.query(
        `select kind, amount_cents::int as cents from unmatched_payments as u
         where account_id = $1 and confirmed_at is null
           and not exists (select from payments as p where p.account_id = $1 and p.id = u.payment_id)`,
        [account],
      )
    ).rows;
  expect(await daily(replicas.start(), account)).toMatchObject([{ code: 'charging_stopped' }]);
  expect(await stopping()).toEqual([{ kind: 'charge', cents: 1_900 }]);
  expect(await daily(replicas.start(), account, true)).toEqual([]);
  expect(await stopping()).toEqual([]);
  expect((await factsOf(replicas.database, account)).filter(({ lacked }) => lacked)).toHaveLength(1);
});

test('a confirmation is of what a run could say: what an event told since stops charges, until it is confirmed too', async () => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const replica = replicas.start();
  const tell = async (reference: string) => {
    const at = replicas.clock.now();
    const of = { reference, paymentId: newId('payment', at.getTime()), orderId: null, about: null, message: null };
    const fact = {
      ...of,
      kind: 'charge',
      status: 'succeeded',
      amountCents: 4_900,
      currency: 'usd',
      recordedAt: at,
    } as const;
    const whose = { accountId: account, processor: 'simulated', test: false };
    await writeFacts(replicas.database, whose, [fact], { by: 'webhook', at });
    replicas.clock.advance(hourMs);
  };
  const runs = async (confirms: boolean) => {
    const startedAt = replicas.clock.now();
    const problems = await daily(replica, account, confirms);
    await replicas.database.pool.query(
      'insert into daily_runs (id, account_id, started_at, finished_at) values ($1, $2, $3, $3)',
      [newId('dailyRun', startedAt.getTime()), account, startedAt],
    );
    replicas.clock.advance(hourMs);
    return problems;
  };
  await tell('ch_1');
  expect(await runs(false)).toMatchObject([{ code: 'charging_stopped' }]);
  await tell('ch_2');
  expect(await runs(true)).toMatchObject([
    { code: 'charging_stopped', detail: expect.stringMatching(/shows a charge .*ch_2/) },
  ]);
  expect((await readSubscription(replicas, id)).period).toBe(1);
  expect(await runs(true)).toEqual([]);
  expect((await readSubscription(replicas, id)).period).toBe(2);
});

test('what a process of the release before finds and has confirmed counts here', async () => {
  const [account, waiting] = [newAccount(), newAccount()];
  for (const each of [account, waiting]) await subscribe(replicas, each);
  replicas.clock.advance(31 * dayMs);
  for (const each of [account, waiting]) {
    await replicas.database.pool.query(
      `insert into unmatched_payments (account_id, processor, payment_id, reference, kind, amount_cents, currency, order_id, recorded_at,
         found_at)
       values ($1, 'simulated', 'pmt_x', 'sim_x', 'capture', 4900, 'usd', null, $2, $2)`,
      [each, replicas.clock.now()],
    );
  }
  await replicas.database.pool.query('update unmatched_payments set confirmed_at = found_at where account_id = $1', [
    account,
  ]);
  replicas.clock.advance(minuteMs);
  expect(await daily(replicas.start(), account)).toEqual([]);
  expect(await daily(replicas.start(), waiting)).toMatchObject([
    { code: 'charging_stopped', detail: expect.stringContaining('a capture of $49.00') },
  ]);
});

/** The statements about facts that a database is asked. */
function statementsOfFacts() {
  const texts = new Map<string, string>();
  const database = (inner: Database): Database => {
    const query = async (config: { name: string; text: string }, values?: unknown[]) => {
      if (config.text?.includes('processor_facts') || config.name === 'books-payments-with-fees')
        texts.set(config.name, config.text);
      return await inner.pool.query(config as never, values as never);
    };
    return { ...inner, pool: Object.assign(Object.create(inner.pool), { query }) };
  };
  return { database, texts };
}

test('a fact and its payment are found by their own keys, even before the planner knows how many an account has', async () => {
  const { database, texts } = statementsOfFacts();
  const account = newAccount();
  const fees = [{ amountCents: 30, currency: 'usd' }];
  const replica = replicas.start({
    database,
    processor: (inner) => ({
      ...inner,
      async *list(...range) {
        for await (const record of inner.list(...range)) yield { ...record, fees };
      },
    }),
  });
  await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  expect(await daily(replica, account)).toEqual([]);
  expect([...texts.keys()].toSorted()).toEqual([
    ...['books-payments-with-fees', 'books-unexplained-facts', 'books-unfollowed-facts'],
    ...['books-unlisted-charges', 'books-unlisted-holds'],
    ...['books-unlisted-refunds', 'facts-write', 'unmatched-payments-read'],
  ]);
  for (const [name, text] of texts) {
    const scans = (await plannedScans(replicas.url, text)).filter(({ table }) =>
      /^(payments|processor_facts)$/.test(table),
    );
    expect(scans.length).toBeGreaterThan(0);
    // What is no look-up of one is a page in order, or what stops charges, which is mostly nothing.
    for (const { lookUp, index } of scans.filter((scan) => scan.index !== 'processor_facts_lacked'))
      expect([name, index, lookUp]).toEqual([
        name,
        index,
        expect.stringMatching(/\((id|order_id|reference|about) = |position|finished_at/),
      ]);
  }
});
