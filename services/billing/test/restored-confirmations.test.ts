import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { type DailyCounts, noCounts } from '../src/runs/daily-counts.rules.ts';
import { cancelSubscription } from '../src/subscriptions/subscriptions.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, newAccount, type Replica, runOf } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { subscribe } from './subscriptions-of-tests.ts';

openReplicas('2026-01-31T12:00:00.000Z');

async function daily(account: string, by: Replica): Promise<DailyCounts['problems']> {
  const counts = noCounts();
  for (const step of dailySteps(by.deps)) await step(by.deps, runOf(account, by.deps), counts);
  return counts.problems;
}

const chargesThere = async (account: string) =>
  (await replicas.books(account)).filter(({ kind, status }) => kind === 'charge' && status === 'succeeded').length;

/** What the database lacks, and how often the processor has charged by then. */
const lacked = {
  'a renewal': async (account: string, replica: Replica) => {
    const { id } = await subscribe(replicas, account);
    replicas.clock.advance(dayMs);
    await subscribe(replicas, account);
    replicas.clock.advance(27 * dayMs);
    const copy = await copyDatabase(replicas.database);
    await daily(account, replica);
    await cancelSubscription(replica.deps, commandOf(account), id);
    await copy.restore();
    replicas.clock.advance(hourMs);
    return 1;
  },
  'a refund': async (account: string, replica: Replica) => {
    const input = startInput();
    const caller = { accountId: account, requestId: 'r' };
    await startPayment(replica.deps, caller, input);
    await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
    await subscribe(replicas, account);
    replicas.clock.advance(dayMs);
    const copy = await copyDatabase(replicas.database);
    await refundCharges(replica.deps, caller, input.orderId);
    await copy.restore();
    replicas.clock.advance(28 * dayMs);
    return 1;
  },
};

const dies = () => Promise.reject(Object.assign(new Error('killed'), { code: 'ECONNRESET' }));

test.each(
  Object.entries(lacked).flatMap(([what, lose]) => [[what, 'before', lose] as const, [what, 'after', lose] as const]),
)(
  'a database that lacks %s charges nobody until the seller confirms, also where a run dies %s it keeps that',
  async (_, when, lose) => {
    const account = newAccount();
    const charged = await lose(account, replicas.start());
    await daily(account, replicas.start(actedAt('facts-write', when, dies)));
    replicas.clock.advance(31 * dayMs);
    expect(await daily(account, replicas.start())).toMatchObject([{ code: 'charging_stopped' }]);
    expect(await chargesThere(account)).toBe(charged);
  },
);

/** An odd step kills before statements and after them. */
const seamStep = volume(9, 1);

test.each(Object.entries(lacked))(
  'a database that lacks %s charges nobody until the seller confirms, wherever the run that finds it is killed',
  { timeout: volume(120_000, 1_800_000) },
  async (_, lose) => {
    for (let seam = 1; ; seam += seamStep) {
      await replicas.clear();
      replicas.clock.set('2026-01-31T12:00:00.000Z');
      const account = newAccount();
      const charged = await lose(account, replicas.start());
      const dying = dyingAt(seam);
      await daily(account, replicas.start(dying)).catch((err) => expect(isDeath(err)).toBe(true));
      replicas.clock.advance(31 * dayMs);
      const problems = await daily(account, replicas.start());
      expect([seam, problems[0]?.code, await chargesThere(account)]).toEqual([seam, 'charging_stopped', charged]);
      if (!dying.dead) return;
    }
  },
);

test('nor where the renewal that it lacks could not be looked up when it was found', async () => {
  const account = newAccount();
  const charged = await lacked['a renewal'](account, replicas.start());
  const failing = replicas.start();
  failing.fail('throws_before');
  expect(await daily(account, failing)).toMatchObject([{ code: 'charging_stopped' }]);
  for (let month = 0; month < 2; month += 1) {
    replicas.clock.advance(31 * dayMs);
    expect(await daily(account, replicas.start())).toMatchObject([{ code: 'charging_stopped' }]);
    expect(await chargesThere(account)).toBe(charged);
  }
});
