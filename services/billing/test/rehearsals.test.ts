import { newId, newIdSuffix } from '@app/contracts/ids';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { getPayment } from '../src/charging/list-payments.ts';
import { advanceRehearsal, type RehearsalDeps } from '../src/rehearsals/advance-rehearsal.ts';
import { rehearsalSteps } from '../src/rehearsals/rehearsal-steps.ts';
import { getRehearsal } from '../src/runs/rehearsal-time.ts';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { listSubscriptions } from '../src/subscriptions/list-subscriptions.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readRenewals, readStory, readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas('2026-01-31T12:00:00.000Z');

const rehearse = ({ deps }: Replica, isClosing = () => false): RehearsalDeps => ({
  ...deps,
  rehearsalSteps: rehearsalSteps(deps),
  isClosing,
});
const command = (): string => newIdSuffix(Date.now());
const soon = (): number => Date.now() + 40_000;

const advance = (
  account: string,
  days: number,
  options: { wrap?: Wrap; commandId?: string; deadlineMs?: number } = {},
) => {
  const { wrap = {}, commandId = command(), deadlineMs = soon() } = options;
  return advanceRehearsal(rehearse(replicas.start(wrap)), { accountId: account, commandId, days, deadlineMs });
};
const timeOf = async (account: string): Promise<string> =>
  (await getRehearsal(replicas, account)).now.slice(0, '2026-01-31'.length);

/** The process that had it is gone for longer than its lease. */
const endLease = (account: string) =>
  replicas.database.pool.query('update rehearsal_clocks set leased_until = clock_timestamp() where account_id = $1', [
    account,
  ]);

/** How many statements a process sends: what takes the time of a rehearsal, whatever the machine has to do beside it. */
function countingStatements(): Wrap & { readonly statements: number } {
  let statements = 0;
  return {
    database: (database) => {
      const query = (config: never) => {
        statements += 1;
        return database.pool.query(config);
      };
      return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
    },
    get statements() {
      return statements;
    },
  };
}

const short = (story: Record<string, unknown>[]) =>
  story.map(
    ({ event, chargedAt, failedAt, canceledAt }) =>
      `${event} ${String(chargedAt ?? failedAt ?? canceledAt).slice(0, 10)}`,
  );

test('a year passes for test subscriptions alone, with renewals, declines, retries and cancellations on their days', async () => {
  const account = newAccount();
  const [renewed, declined, live] = [
    await subscribe(replicas, account, { test: true }),
    await subscribe(replicas, account, { test: true, paymentMethod: 'sim_renewal_declined' }),
    await subscribe(replicas, account),
  ];
  const foreign = await subscribe(replicas, newAccount(), { test: true });
  const before = [await readSubscription(replicas, live.id), await readSubscription(replicas, foreign.id)];
  const counted = countingStatements();
  expect(await advance(account, 366, { wrap: counted })).toEqual({
    ok: true,
    now: '2027-02-01T12:00:00.000Z',
    days: 366,
    rebills: { charged: 12, chargedCents: 12 * 1900, retried: 3, canceled: 1 },
    chargedByCurrency: { usd: 12 * 1900 },
  });
  expect(counted.statements).toBeLessThan(8 * 366);
  expect(short(await readStory(replicas, account, renewed.id))).toEqual(
    [
      ...['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30', '2026-07-31', '2026-08-31'],
      ...['2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31', '2027-01-31'],
    ].map((day) => `rebilled ${day}`),
  );
  expect(short(await readStory(replicas, account, declined.id))).toEqual([
    ...['2026-02-28', '2026-03-03', '2026-03-06', '2026-03-09'].map((day) => `payment-failed ${day}`),
    'canceled 2026-03-09',
  ]);
  expect([await readSubscription(replicas, live.id), await readSubscription(replicas, foreign.id)]).toEqual(before);
  expect(await readStory(replicas, account, live.id)).toEqual([]);
  const entries = await replicas.books(account);
  expect(entries.every((entry) => entry.test)).toBe(true);
  expect(await timeOf(newAccount())).toBe('2026-01-31');
});

test('one that was canceled for the end of its period ends on the rehearsal’s day, and no result counts it', async () => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account, { test: true });
  const context = { accountId: account, requestId: 'r', commandId: command() };
  const at = { at: 'period_end' } as const;
  expect(await cancelSubscription(replicas.start().deps, context, id, at)).toMatchObject({
    cancel_at: '2026-02-28T12:00:00.000Z',
  });
  const nothing = { rebills: { charged: 0, canceled: 0 } };
  expect(await advance(account, 27)).toMatchObject(nothing);
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active' });
  expect(await advance(account, 2)).toMatchObject(nothing);
  expect(short(await readStory(replicas, account, id))).toEqual(['canceled 2026-02-28']);
});

test('events of a rehearsal carry its dates, are marked as test, and happen now', async () => {
  const account = newAccount();
  await subscribe(replicas, account, { test: true });
  await advance(account, 30);
  const { rows } = await replicas.database.pool.query<{ payload: string }>(
    `select payload from outbox where payload::json ->> 'accountId' = $1 and subject like '%rebilled%'`,
    [account],
  );
  expect(JSON.parse(rows[0]?.payload ?? '{}')).toMatchObject({
    occurredAt: '2026-01-31T12:00:00.000Z',
    data: {
      test: true,
      periodStart: '2026-02-28T12:00:00.000Z',
      chargedAt: '2026-02-28T12:00:00.000Z',
      lastFour: '4242',
    },
  });
});

test('a payment of a rehearsal ends at the rehearsal’s time', async () => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account, { test: true });
  await advance(account, 30);
  const { payments } = await getSubscription(replicas, account, id);
  const [made] = payments;
  expect(made).toMatchObject({ created_at: '2026-02-28T12:00:00.000Z', finished_at: '2026-02-28T12:00:00.000Z' });
  expect(await getPayment(replicas.database, account, made?.id ?? '')).toEqual(made);
});

test('what is bought or done after the clock has moved has the rehearsal’s time, and only rehearsals have', async () => {
  const account = newAccount();
  await advance(account, 100);
  const later = await subscribe(replicas, account, { test: true });
  const live = await subscribe(replicas, account);
  expect((await readSubscription(replicas, later.id)).next_charge_at).toEqual(new Date('2026-06-11T12:00:00.000Z'));
  expect((await readSubscription(replicas, live.id)).next_charge_at).toEqual(new Date('2026-02-28T12:00:00.000Z'));
  const deps = { database: replicas.database, clock: replicas.clock, wakeRelay: () => undefined };
  const context = () => ({ accountId: account, requestId: 'r', commandId: command() });
  expect((await pauseSubscription(deps, context(), later.id)).paused_at).toBe('2026-05-11T12:00:00.000Z');
  await advance(account, 60);
  // Resumed after its date: due now, in the rehearsal.
  expect((await resumeSubscription(deps, context(), later.id)).next_charge_at).toBe('2026-07-10T12:00:00.000Z');
  expect((await advance(account, 1)).rebills.charged).toBe(1);
  expect((await cancelSubscription(deps, context(), later.id)).canceled_at).toBe('2026-07-11T12:00:00.000Z');
  expect((await cancelSubscription(deps, context(), live.id)).canceled_at).toBe('2026-01-31T12:00:00.000Z');
});

test('test subscriptions are listed by themselves, with the other filters', async () => {
  const account = newAccount();
  const rehearsed = await subscribe(replicas, account, { test: true });
  const live = await subscribe(replicas, account);
  const list = async (query: Parameters<typeof listSubscriptions>[2]) =>
    (await listSubscriptions(replicas, account, query)).data.map(({ id }) => id);
  expect(await list({})).toEqual([live.id]);
  expect(await list({ test: 'false' })).toEqual([live.id]);
  expect(await list({ test: 'true' })).toEqual([rehearsed.id]);
  expect(await list({ test: 'true', status: 'active' })).toEqual([rehearsed.id]);
  expect(await list({ test: 'true', status: 'canceled' })).toEqual([]);
});

test('a repeated command moves the clock once and answers the same, whether both come at once or one later', async () => {
  const account = newAccount();
  await subscribe(replicas, account, { test: true });
  const commandId = command();
  const results = await Promise.all([1, 2, 3].map(() => advance(account, 40, { commandId })));
  results.push(await advance(account, 40, { commandId }));
  for (const result of results) expect(result).toEqual(results[0]);
  expect(results[0]?.rebills.charged).toBe(1);
  expect(await timeOf(account)).toBe('2026-03-12');
});

test('several commands at once are done one after the other', async () => {
  const account = newAccount();
  await subscribe(replicas, account, { test: true });
  const results = await Promise.all([20, 30, 10].map((days) => advance(account, days)));
  expect(results.map(({ days }) => days)).toEqual([20, 30, 10]);
  expect(results.reduce((sum, { rebills }) => sum + rebills.charged, 0)).toBe(2);
  expect(await timeOf(account)).toBe('2026-04-01');
});

test('while another process works, a command waits until its deadline, and says whose work it waits for', async () => {
  const account = newAccount();
  const commandId = command();
  await replicas.database.pool.query(
    `insert into rehearsal_clocks (account_id, command_id, requested_days, lease_owner, leased_until)
     values ($1, $2, 5, 'other', clock_timestamp() + interval '1 hour')`,
    [account, commandId],
  );
  const deadlineMs = Date.now() + 250;
  await expect(advance(account, 5, { commandId, deadlineMs })).rejects.toMatchObject({ code: 'outcome_unknown' });
  await expect(advance(account, 5, { deadlineMs })).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await timeOf(account)).toBe('2026-01-31');
});

test('a renewal whose answer got lost is looked up on the next day of the rehearsal, and counts for its period', async () => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account, { test: true });
  const replica = replicas.start();
  // Of each renewal the charge, and the look-up of the day after.
  replica.fail('answer_lost', 'answered', 'answer_lost', 'answered', 'answer_lost');
  const about = { accountId: account, commandId: command(), days: 90, deadlineMs: soon() };
  expect((await advanceRehearsal(rehearse(replica), about)).ok).toBe(true);
  const renewals = await readRenewals(replicas, id);
  expect(renewals.map(({ period, status }) => [period, status])).toEqual([
    [2, 'paid'],
    [3, 'paid'],
    [4, 'paid'],
  ]);
  expect((await replicas.books(account)).filter(({ status }) => status === 'succeeded')).toHaveLength(3);
});

/** The day before a renewal is due, and enough days for a retry to follow. */
async function dayBefore(): Promise<{ account: string; ids: string[] }> {
  const account = newAccount();
  const ids: string[] = [];
  for (const paymentMethod of ['sim_ok', 'sim_renewal_declined']) {
    ids.push((await subscribe(replicas, account, { test: true, paymentMethod })).id);
  }
  await replicas.database.pool.query('insert into rehearsal_clocks (account_id, ahead_days) values ($1, 27)', [
    account,
  ]);
  return { account, ids };
}
const fiveDays = {
  ok: true,
  now: '2026-03-04T12:00:00.000Z',
  days: 5,
  rebills: { charged: 1, chargedCents: 1900, retried: 1, canceled: 0 },
  chargedByCurrency: { usd: 1900 },
};

test('a command whose process is killed at any point goes on to its day when it is repeated, and charges nothing twice', async () => {
  let seam = 1;
  // An odd step kills before statements and after them.
  for (let died = true; died; seam += volume(9, 1)) {
    const { account, ids } = await dayBefore();
    const commandId = command();
    const dying = dyingAt(seam);
    await advance(account, 5, { wrap: dying, commandId }).catch(() => undefined);
    died = dying.dead;
    const ahead = (await getRehearsal(replicas, account)).days_ahead;
    expect(ahead).toBeGreaterThanOrEqual(27);
    await endLease(account);
    expect([seam, await advance(account, 5, { commandId })]).toEqual([seam, fiveDays]);
    const stories = await Promise.all(ids.map((id) => readStory(replicas, account, id)));
    expect([seam, ...stories.map(short)]).toEqual([
      seam,
      ['rebilled 2026-02-28'],
      ['payment-failed 2026-02-28', 'payment-failed 2026-03-03'],
    ]);
    expect((await replicas.books(account)).map(({ status }) => status).toSorted()).toEqual([
      'declined',
      'declined',
      'succeeded',
    ]);
  }
  expect(seam).toBeGreaterThan(40);
});

test('a renewal whose outcome is unknown on its day is counted on the day that finds it out', async () => {
  const { account } = await dayBefore();
  const replica = replicas.start();
  replica.fail('throws_after', 'throws_after');
  const about = { accountId: account, commandId: command(), days: 6, deadlineMs: soon() };
  expect(await advanceRehearsal(rehearse(replica), about)).toMatchObject({
    ok: true,
    rebills: { charged: 1, chargedCents: 1900, retried: 1, canceled: 0 },
    chargedByCurrency: { usd: 1900 },
  });
});

test('a rehearsal whose key is refused is not ok, and the renewals of its days are charged later', async () => {
  const account = newAccount();
  await subscribe(replicas, account, { test: true });
  const refusing: Wrap = {
    processor: (inner) => ({
      ...inner,
      chargeSaved: async () => ({ status: 'not_done', why: 'key_refused', message: 'Invalid API Key' }),
    }),
  };
  expect(await advance(account, 30, { wrap: refusing })).toMatchObject({ ok: false, rebills: { charged: 0 } });
  expect(await advance(account, 1)).toMatchObject({ ok: true, rebills: { charged: 1 } });
});

test('a process that closes stops at a day, and the repeated command does the rest at once', async () => {
  const { account } = await dayBefore();
  const commandId = command();
  let requested = 0;
  const closing = rehearse(replicas.start(), () => {
    requested += 1;
    return requested > 25;
  });
  const about = { accountId: account, commandId, days: 5, deadlineMs: soon() };
  await expect(advanceRehearsal(closing, about)).rejects.toMatchObject({ code: 'outcome_unknown' });
  const { days_ahead: ahead } = await getRehearsal(replicas, account);
  expect([ahead > 27, ahead < 32]).toEqual([true, true]);
  expect(await advance(account, 5, { commandId })).toEqual(fiveDays);
});

test('a command that was not continued ends with what it had done, and moves nothing when it comes again', async () => {
  const { account } = await dayBefore();
  const commandId = command();
  await advance(account, 5, { wrap: dyingAt(30), commandId }).catch(() => undefined);
  await endLease(account);
  const { days_ahead: ahead } = await getRehearsal(replicas, account);
  expect((await advance(account, 2)).days).toBe(2);
  expect(await advance(account, 5, { commandId })).toMatchObject({ ok: false, days: ahead - 27 });
  expect((await getRehearsal(replicas, account)).days_ahead).toBe(ahead + 2);
});

test('a time that no calendar reaches is refused, and names the field', async () => {
  const account = newAccount();
  const days = Math.round((Date.parse('2200-12-01T00:00:00.000Z') - replicas.clock.nowMs()) / dayMs);
  await replicas.database.pool.query('insert into rehearsal_clocks (account_id, ahead_days) values ($1, $2)', [
    account,
    days,
  ]);
  await expect(advance(account, 60)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'days' }] });
  expect((await advance(account, 3)).days).toBe(3);
});

test('an order of a rehearsal that was never rehearsed has a clock that shows the time', async () => {
  expect(await getRehearsal(replicas, newId('account', 0))).toEqual({ now: '2026-01-31T12:00:00.000Z', days_ahead: 0 });
});
