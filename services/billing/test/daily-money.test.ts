import { newId, newIdSuffix } from '@app/contracts/ids';
import { runBegan, runJoined } from '@app/runs/points';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { listDailyRuns } from '../src/daily-run/list-daily-runs.ts';
import { previewDailyRun } from '../src/daily-run/preview-daily-run.ts';
import { runDailyForAccount, runDailyForAll } from '../src/daily-run/start-daily-run.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import type { DailyStep } from '../src/runs/daily-step.ts';
import { dailyDepsOf } from './daily-deps.ts';
import { putPaymentMethod } from './new-cards.ts';
import { dayMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readRenewals, subscribe, subscribeMany as subscribeManyOf } from './subscriptions-of-tests.ts';

openReplicas('2026-02-01T12:00:00.000Z');

const daily = (wrap: Wrap = {}) => dailyOf(replicas.start(wrap));
const dailyOf = ({ deps }: Replica) => dailyDepsOf(deps, dailySteps(deps));
const requested = (force = false) => ({
  runId: newId('dailyRun', replicas.clock.nowMs()),
  deadlineMs: Number.POSITIVE_INFINITY,
  force,
});
const run = (account: string, force = false) => runDailyForAccount(daily(), account, requested(force));
const preview = (account: string, page: { limit?: number; after?: string } = {}) =>
  previewDailyRun({ database: replicas.database, clock: replicas.clock }, account, page);

async function subscribeMany(account: string, count: number, currency = 'usd'): Promise<void> {
  await subscribeManyOf(replicas, account, count, { currency });
}

async function periodsOf(account: string): Promise<{ period: number; count: number }[]> {
  const text = 'select period, count(*)::int as count from subscriptions where account_id = $1 group by period';
  return (await replicas.database.pool.query(text, [account])).rows;
}

async function notices(account: string): Promise<string[]> {
  const { rows } = await replicas.database.pool.query(
    `select payload::json -> 'data' ->> 'code' as code from outbox
     where subject like '%daily-run.noticed%' and payload::json ->> 'accountId' = $1`,
    [account],
  );
  return rows.map(({ code }) => code);
}

test('renewals that fall due together run through, and so does the largest run of last month again', async () => {
  const account = newAccount();
  await subscribeMany(account, 30);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 30 } });
  replicas.clock.set('2026-04-05T12:00:00.000Z');
  expect((await preview(account)).charge_limit).toMatchObject({
    exceeded: false,
    currencies: [{ normal_cents: 57_000 }],
  });
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 30 } });
  expect(await notices(account)).toEqual([]);
});

test('a run with far more due than is normal charges the oldest of it and says once a day what waits; the next goes on', async () => {
  const account = newAccount();
  await subscribeMany(account, 100);
  replicas.clock.advance(1_000);
  await subscribeMany(account, 150);
  await subscribeMany(account, 1, 'eur');
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  const planned = await preview(account, { limit: 100 });
  const usd = { currency: 'usd', due_count: 250, due_cents: 475_000, normal_cents: 0, limit_cents: 0, exceeded: true };
  expect(planned.charge_limit).toMatchObject({
    ...{ exceeded: true, always_allowed_count: 100 },
    currencies: [
      { currency: 'eur', exceeded: false },
      { ...usd, waiting_count: 150, waiting_cents: 285_000 },
    ],
  });
  expect(planned.totals.renewals).toMatchObject({ count: 101, amounts: [{ currency: 'eur' }, { cents: 190_000 }] });
  const braked = await run(account);
  expect(braked).toMatchObject({ ok: false, rebills: { charged: 101 }, waiting: 150 });
  expect(braked.problems).toEqual([
    { code: 'charge_limit', detail: expect.stringContaining('250 charges, together $4,750.00,') },
  ]);
  expect(braked.problems[0]?.detail).toContain('150 wait');
  const { rows } = await replicas.database.pool.query(
    `select period, count(distinct started_at)::int as times, count(*)::int as count from subscriptions
     where account_id = $1 and currency = 'usd' group by period order by period`,
    [account],
  );
  expect(rows).toEqual([
    { period: 1, times: 1, count: 150 },
    { period: 2, times: 1, count: 100 },
  ]);
  expect(await notices(account)).toEqual(['charge_limit']);
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 150 }, waiting: 0 });
});

test('while each run is stopped at the limit the seller is notified once a day, and force charges the rest', async () => {
  const account = newAccount();
  await subscribeMany(account, 100);
  for (const _ of [1, 2, 3, 4]) await subscribeMany(account, 101);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  expect(await run(account)).toMatchObject({ ok: false, rebills: { charged: 100 }, waiting: 404 });
  expect(await run(account)).toMatchObject({ ok: false, rebills: { charged: 300 }, waiting: 104 });
  expect(await notices(account)).toEqual(['charge_limit']);
  expect(await run(account, true)).toMatchObject({ ok: true, problems: [], rebills: { charged: 104 }, waiting: 0 });
});

test('a forced run that joined one which stopped at the limit charges itself; what is joined otherwise is not repeated', async () => {
  const account = newAccount();
  await subscribeMany(account, 125);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  const gate = Promise.withResolvers<void>();
  const deps = daily();
  const held = { ...deps, steps: [() => gate.promise, ...deps.steps] };
  const unforced = runDailyForAccount(held, account, requested());
  await announced(runBegan, ({ accountId }) => accountId === account);
  expect((await listDailyRuns(replicas, account, {})).data).toMatchObject([{ status: 'running' }]);
  const [one, two, all] = [requested(true), requested(true), requested(true)];
  const ofAccount = [one, two].map((each) => runDailyForAccount(daily(), account, each));
  await announced(runJoined, ({ accountId }) => accountId === account, 2);
  gate.resolve();
  expect((await unforced).problems).toMatchObject([{ code: 'charge_limit' }]);
  const results = await Promise.all(ofAccount);
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(Math.max(...results.map(({ rebills }) => rebills.charged))).toBe(25);
  expect(await runDailyForAccount(daily(), account, one)).toEqual(results[0]);
  expect(await runDailyForAll(daily(), all)).toMatchObject({ ok: true, rebills: { charged: 0 } });
});

/** A process that dies after so many charges of its run. */
const dyingAfter = (charges: number) => {
  const { deps } = replicas.start({
    // As long as a busy machine takes for a call, and no longer: those after the death wait for it.
    deadlineMs: 2_000,
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) => {
        if (died) return await new Promise(() => undefined);
        charges -= 1;
        died = charges === 0;
        return await inner.chargeSaved(request, call);
      },
    }),
  });
  let died = false;
  const [, , , charge = () => Promise.resolve()] = dailySteps(deps);
  const dies: DailyStep = async (stepDeps, run, counts) => {
    await charge(stepDeps, { ...run, isClosing: () => died }, counts);
    throw new Error('died');
  };
  return { ...daily(), steps: [dies] };
};

test.each(['its account', 'all accounts'] as const)(
  'what a forced run of %s began is finished by the next run, and no more than that',
  async (scope) => {
    const account = newAccount();
    await subscribeMany(account, 120);
    // Two periods are overdue: what was forced is one of each.
    replicas.clock.set('2026-04-20T12:00:00.000Z');
    const forced = requested(true);
    const dying = { ...dyingAfter(110), partsAtOnce: 1 };
    if (scope === 'its account') await expect(runDailyForAccount(dying, account, forced)).rejects.toThrow('died');
    else expect(await runDailyForAll(dying, forced)).toMatchObject({ ok: false });
    replicas.clock.advance(dayMs);
    const statuses = async () => (await listDailyRuns(replicas, account, {})).data.map(({ status }) => status);
    expect(await statuses()).toEqual(['interrupted']);
    await replicas.database.pool.query('update daily_runs set finished_at = null where account_id = $1', [account]);
    expect(await statuses()).toEqual(['interrupted']);
    const planned = await preview(account, { limit: 100 });
    const charges = planned.totals.renewals.count;
    const rest = await preview(account, { limit: 100, after: planned.next ?? '' });
    expect([...planned.data, ...rest.data].filter(({ kind }) => kind === 'renewal').length).toBe(charges);
    const finishing = await run(account);
    expect(finishing.problems.map(({ code }) => code)).toEqual(['charge_limit']);
    // All that was forced, and of what fell due since as much as the limit allows.
    const finished = (await periodsOf(account)).find(({ period }) => period === 3)?.count;
    expect([finished, finishing.rebills.charged, finishing.waiting]).toEqual([100, 220, 10]);
    expect(await statuses()).toEqual(['finished', 'interrupted']);
  },
);

/** A forced run of 120 subscriptions, two periods overdue, died after so many charges, a day ago. */
async function dieTwoPeriodsOverdue(charges: number): Promise<string> {
  const account = newAccount();
  await subscribeMany(account, 120);
  replicas.clock.set('2026-04-20T12:00:00.000Z');
  await expect(runDailyForAccount(dyingAfter(charges), account, requested(true))).rejects.toThrow('died');
  replicas.clock.advance(dayMs);
  return account;
}

test('a forced run that died after its last charge lets the next one charge nothing beyond the limit', async () => {
  // The second ones were not due when the run was forced, as far as it is concerned.
  const account = await dieTwoPeriodsOverdue(120);
  expect((await preview(account)).totals.renewals.count).toBe(100);
  // It finds paid what the dead one has requested, and charges no more than the limit.
  expect((await run(account)).problems.map(({ code }) => code)).toEqual(['charge_limit']);
  expect((await periodsOf(account)).toSorted((one, other) => one.period - other.period)).toEqual([
    { period: 2, count: 20 },
    { period: 3, count: 100 },
  ]);
});

test('what fell due again by the second of two forced runs that died is charged by the next one', async () => {
  // The second one is due on the day after the first was paid.
  const account = await dieTwoPeriodsOverdue(110);
  const dies: DailyStep = () => Promise.reject(new Error('died'));
  await expect(runDailyForAccount({ ...daily(), steps: [dies] }, account, requested(true))).rejects.toThrow('died');
  replicas.clock.advance(dayMs);
  expect(await run(account)).toMatchObject({ ok: true, problems: [] });
  expect((await preview(account)).charge_limit).toMatchObject({ exceeded: false });
});

test('a forced run over all accounts that died lets no run charge what fell due after it', async () => {
  replicas.clock.set('2026-02-10T12:00:00.000Z');
  let closing = false;
  const stops: DailyStep = async () => {
    closing = true;
  };
  await subscribe(replicas, newAccount(), {});
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  const dying = { ...daily(), steps: [stops], partsAtOnce: 1, isClosing: () => closing };
  await expect(runDailyForAll(dying, requested(true))).rejects.toThrow('is stopping');
  const later = newAccount();
  await subscribeMany(later, 120);
  replicas.clock.set('2026-05-20T12:00:00.000Z');
  expect(await run(later)).toMatchObject({ ok: false, rebills: { charged: 100 } });
});

test('a forced run that died before it charged is finished by the next one', async () => {
  const account = newAccount();
  await subscribeMany(account, 120);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  const dies: DailyStep = () => Promise.reject(new Error('died'));
  await expect(runDailyForAccount({ ...daily(), steps: [dies] }, account, requested(true))).rejects.toThrow('died');
  replicas.clock.advance(dayMs);
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 120 } });
});

test('what a forced run left when the account’s key was refused is charged by the next one', async () => {
  const account = newAccount();
  await subscribeMany(account, 120);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  let charges = 0;
  const refused = daily({
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) =>
        ++charges > 10
          ? { status: 'not_done', why: 'key_refused', message: 'Invalid API Key' }
          : await inner.chargeSaved(request, call),
    }),
  });
  expect(await runDailyForAccount(refused, account, requested(true))).toMatchObject({
    ...{ ok: false, problems: [{ code: 'key_refused' }], rebills: { charged: 10 } },
  });
  replicas.clock.advance(dayMs);
  expect(await run(account)).toMatchObject({ ok: true, problems: [], rebills: { charged: 110 } });
});

test('what a forced run waived holds no more once a run has found nothing due', async () => {
  const account = newAccount();
  await subscribeMany(account, 120);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  await expect(runDailyForAccount(dyingAfter(10), account, requested(true))).rejects.toThrow('died');
  const setDue = (at: string) =>
    replicas.database.pool.query('update subscriptions set next_charge_at = $2 where account_id = $1', [account, at]);
  await setDue('2026-05-20T12:00:00.000Z');
  replicas.clock.advance(dayMs);
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 10 } });
  await setDue('2026-03-05T12:00:00.000Z');
  replicas.clock.advance(dayMs);
  expect((await run(account)).problems).toMatchObject([{ code: 'charge_limit' }]);
});

test('a forced run that finds nothing due waives the limit for nothing that is overdue later', async () => {
  const account = newAccount();
  await subscribeMany(account, 120);
  replicas.clock.set('2026-02-10T12:00:00.000Z');
  expect(await run(account, true)).toMatchObject({ ok: true, rebills: { charged: 0 } });
  await replicas.database.pool.query(
    `update subscriptions set current_period_end = $2, next_charge_at = $2 where account_id = $1`,
    [account, new Date('2026-02-05T12:00:00.000Z')],
  );
  expect(await run(account)).toMatchObject({ ok: false, rebills: { charged: 100 }, waiting: 20 });
});

test('what charges nothing does not count towards the limit', async () => {
  const account = newAccount();
  await subscribeMany(account, 102);
  await replicas.database.pool.query(
    `update subscriptions set amount_cents = 0 where account_id = $1 and id <> (
       select min(id) from subscriptions where account_id = $1)`,
    [account],
  );
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  expect((await preview(account)).charge_limit).toMatchObject({ exceeded: false, currencies: [{ due_count: 1 }] });
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 102 } });
});

test('what a forced run over all accounts did not come to is finished by the next run', async () => {
  const [first, second] = [newAccount(), newAccount()].toSorted();
  for (const account of [first, second]) await subscribeMany(account as string, 105);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  let closing = false;
  const stops: DailyStep = async () => {
    closing = true;
  };
  const dying = { ...daily(), steps: [stops], partsAtOnce: 1, isClosing: () => closing };
  await expect(runDailyForAll(dying, requested(true))).rejects.toThrow('is stopping');
  replicas.clock.advance(dayMs);
  expect(await runDailyForAll(daily(), requested())).toMatchObject({ ok: true, rebills: { charged: 210 } });
});

test('the limit is the account’s setting; 0 is none', async () => {
  const account = newAccount();
  await subscribeMany(account, 105);
  await replicas.database.pool.query(
    `insert into account_settings (account_id, revision, settings) values ($1, 1, '{"dailyChargeLimit": 0}')`,
    [account],
  );
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  expect((await preview(account)).charge_limit.currencies).toMatchObject([{ limit_cents: null, exceeded: false }]);
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: 105 } });
});

test('in a run over all accounts one account’s limit stops only that account', async () => {
  const [stopped, small] = [newAccount(), newAccount()];
  await subscribeMany(stopped, 105);
  await subscribeMany(small, 2);
  replicas.clock.set('2026-03-20T12:00:00.000Z');
  const sum = await runDailyForAll(daily(), requested());
  expect(sum).toMatchObject({ ok: false, rebills: { charged: 102 }, waiting: 5 });
  expect(sum.problems).toEqual([{ code: 'charge_limit', detail: expect.stringContaining(`${stopped}: More was due`) }]);
});

test('the preview names what a run then does, page by page, and changes nothing', async () => {
  const account = newAccount();
  await subscribeMany(account, 4);
  await subscribe(replicas, account, { currency: 'eur' });
  await subscribe(replicas, account, { paymentMethod: 'sim_renewal_declined' });
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  await run(account);
  replicas.clock.set('2026-04-01T12:00:00.000Z');
  const pages: Awaited<ReturnType<typeof preview>>[] = [];
  for (let after: string | null | undefined; after !== null && pages.length < 9; after = pages.at(-1)?.next) {
    pages.push(await preview(account, { limit: 2, ...(after && { after }) }));
  }
  const [first] = pages;
  expect(first?.totals).toEqual({
    renewals: {
      count: 5,
      amounts: [
        { currency: 'eur', cents: 1900 },
        { currency: 'usd', cents: 7600 },
      ],
    },
    retries: { count: 1, amounts: [{ currency: 'usd', cents: 1900 }] },
    cancellations: 0,
    settlements: { count: 0, amounts: [] },
    ...{ look_ups: 0, look_up_amounts: [], reminders: 0 },
  });
  const steps = pages.flatMap(({ data }) => data);
  expect(new Set(steps.map(({ id }) => id)).size).toBe(6);
  expect(steps.filter(({ kind }) => kind === 'retry')).toMatchObject([{ attempt: 2, amount_cents: 1900 }]);
  expect(await preview(account)).toMatchObject({ totals: first?.totals ?? {} });
  const result = await run(account);
  const renewals = steps.filter(({ kind }) => kind === 'renewal');
  expect(result.rebills).toEqual({
    charged: renewals.length,
    chargedCents: renewals.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
    retried: 1,
    canceled: 0,
  });
  expect((await preview(account)).data).toEqual([]);
});

test('the preview names holds whose window has passed and payments without an end, in the order of the run', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const held = startInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, { accountId: account, requestId: 'r' }, held);
  const unknown = startInput({});
  replica.fail('throws_after', 'throws_after', 'throws_after');
  await startPayment(replica.deps, { accountId: account, requestId: 'r' }, unknown);
  expect((await preview(account)).data).toEqual([]);
  replicas.clock.advance(2 * 3_600_000);
  const planned = await preview(account);
  expect(planned.data.map(({ kind }) => kind)).toEqual(['look_up', 'settlement']);
  expect(planned.data[1]).toMatchObject({ id: held.orderId, amount_cents: held.amountCents, attempt: null });
  expect(planned.totals).toMatchObject({
    look_ups: 1,
    settlements: { count: 1, amounts: [{ cents: held.amountCents }] },
  });
  const pages = [await preview(account, { limit: 1 })];
  pages.push(await preview(account, { limit: 1, after: pages[0]?.next ?? '' }));
  expect(pages.flatMap(({ data }) => data)).toEqual(planned.data);
  expect((await run(account)).holdsSettled).toBe(1);
  expect((await preview(account)).data).toEqual([]);
});

const declinesCapture = (inner: PaymentProcessor): PaymentProcessor => ({
  ...inner,
  capture: async () => ({ status: 'declined', kind: 'soft', reason: 'processing_error', message: 'Try again later.' }),
});

test.each([
  ['whose capture has no end', 'declined', ['throws_before'], [['look_up', 4900]], 4900],
  ['whose capture has no end, with an upsell', 'accepted', ['throws_before'], [['look_up', 6400]], 6400],
  ['whose upsell has no end', 'accepted', ['answered', 'throws_before'], [['look_up', 1500]], 1500],
  ['that could not be captured', 'declined', null, [['settlement', 4900]], 4900],
  ['that could not be captured, with an upsell', 'accepted', null, [['settlement', 6400]], 6400],
] as const)('the preview names the money of a hold %s once', async (_, decision, faults, planned, cents) => {
  const account = newAccount();
  const caller = { accountId: account, requestId: 'r' };
  const replica = replicas.start(faults === null ? { processor: declinesCapture } : {});
  const held = startInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, caller, held);
  replica.fail(...(faults ?? []));
  expect(await settleHold(replica.deps, caller, held.orderId, decision)).toMatchObject({ status: 'settling' });
  const taken = async () =>
    (await replicas.books(account))
      .filter(({ kind, status }) => status === 'succeeded' && (kind === 'charge' || kind === 'capture'))
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
  const before = await taken();
  replicas.clock.advance(2 * 60_000);
  const { data, totals } = await preview(account);
  expect(data.map(({ kind, amount_cents }) => [kind, amount_cents])).toEqual(planned);
  const [settlements, lookUps] = [totals.settlements.amounts, totals.look_up_amounts];
  expect([...settlements, ...lookUps]).toEqual([{ currency: 'usd', cents }]);
  expect([totals.settlements.count + totals.look_ups, totals.settlements.count]).toEqual([1, settlements.length]);
  expect(await run(account)).toMatchObject({ ok: true, holdsSettled: totals.settlements.count });
  expect((await taken()) - before).toBe(cents);
  expect((await preview(account)).data).toEqual([]);
});

test('a period that the run’s look-up finds paid is the one period of its subscription, as the preview said', async () => {
  const account = newAccount();
  const overdue = await subscribe(replicas, account);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  const unanswered = replicas.start();
  unanswered.fail('answer_lost');
  expect((await runDailyForAccount(dailyOf(unanswered), account, requested())).blocked).toBe(1);
  const other = await subscribe(replicas, account);
  const { deps } = replicas.start();
  await putPaymentMethod(deps, { accountId: account, requestId: 'r', commandId: newIdSuffix(0) }, overdue.id, 'sim_ok');
  replicas.clock.set('2026-04-15T12:00:00.000Z');
  const planned = (await preview(account)).data.map(({ kind, id }) => [kind, id]);
  expect(planned).toEqual([
    ['look_up', expect.any(String)],
    ['renewal', other.id],
  ]);
  const periods = async () => (await readRenewals(replicas, overdue.id)).map(({ period, status }) => [period, status]);
  const command = requested();
  const dying = { ...daily(), steps: [...dailySteps(deps).slice(0, 1), () => Promise.reject(new Error('died'))] };
  await expect(runDailyForAccount(dying, account, command)).rejects.toThrow('died');
  expect((await runDailyForAccount(daily(), account, command)).rebills).toMatchObject({
    charged: 2,
    chargedCents: 3800,
  });
  expect(await periods()).toEqual([[2, 'paid']]);
  expect((await run(account)).rebills.charged).toBe(0);
  replicas.clock.advance(dayMs);
  expect((await run(account)).rebills.charged).toBe(1);
  expect(await periods()).toEqual([
    [2, 'paid'],
    [3, 'paid'],
  ]);
});

test('a cursor that no page gave is refused', async () => {
  await expect(preview(newAccount(), { after: 'nonsense' })).rejects.toMatchObject({ code: 'validation_failed' });
});
