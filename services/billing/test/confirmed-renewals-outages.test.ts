import { guardLeaks } from '@app/testing/leak-guard';
import { describe, expect, test } from 'vitest';
import { lookUpAtProcessor } from '../src/charging/look-up-payment.ts';
import type { PaymentProcessor, SentOutcome } from '../src/processors/port.ts';
import { pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { dayMs, hourMs, minuteMs, type Replica } from './payment-replicas.ts';
import { commandOf, openReplicasOf, replicas } from './set-up.ts';
import { type Life, readSubscription } from './subscriptions-of-tests.ts';
import { give, newest, pastDue, stories, waiting } from './waiting-renewals.ts';

/** Guarantee: a processor that is out of order for longer than the hour of a confirmation keeps nothing open for a day. */
guardLeaks();

const out = (): Promise<never> => Promise.reject(new Error('<html>502</html>'));

/** What a processor does otherwise, in a replica of its own. */
const startWith = (otherwise: (inner: PaymentProcessor) => Partial<PaymentProcessor>): Replica =>
  replicas.start({ processor: (inner) => ({ ...inner, ...otherwise(inner) }) });

/** Rounds of the payments loop as minutes pass. */
async function minutes(replica: Replica, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    replicas.clock.advance(minuteMs);
    await replica.round();
  }
}

async function expectEnded(life: Life, reason: string): Promise<void> {
  const { payments } = await replicas.money(life.account, life.orderId);
  expect(payments.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: reason });
  expect(replicas.errors).toEqual([]);
}

describe.each(['simulated', 'stripe'] as const)('%s', (processor) => {
  openReplicasOf(processor);

  test('a release that is neither answered nor found for hours ends within minutes of the processor’s return', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    replicas.clock.advance(hourMs);
    await minutes(
      startWith(() => ({ lookUp: out, release: out })),
      3 * 60,
    );
    expect(await newest(life)).toMatchObject({ status: 'requires_action', releasing: true });
    await minutes(life.replica, 6);
    await expectEnded(life, 'authentication_required');
  });

  test('a release that is refused is not repeated until the renewal can be looked up', async () => {
    const life = await waiting('sim_renewal_requires_action');
    await replicas.outside.buyersDecide();
    const payment = await newest(life);
    if (payment !== undefined) await lookUpAtProcessor(life.replica.deps, payment);
    replicas.clock.advance(hourMs);
    const replica = startWith(() => ({ lookUp: out }));
    for (let round = 0; round < 5; round += 1) await replica.round();
    const { payments } = await replicas.money(life.account, life.orderId);
    expect(payments.filter(({ step }) => step === 'release')).toMatchObject([{ status: 'declined' }]);
    await minutes(life.replica, 6);
    expect(await stories(life)).toEqual(['payment-failed', 'rebilled']);
  });

  test('what is paused, given up and resumed before it can be looked up was no attempt', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    await pauseSubscription(life.replica.deps, commandOf(life.account), life.id);
    await startWith(() => ({ lookUp: out })).round();
    await resumeSubscription(life.replica.deps, commandOf(life.account), life.id);
    await minutes(life.replica, 6);
    await expectEnded(life, 'given_up');
    expect(await stories(life)).toEqual(['payment-failed', 'paused', 'resumed']);
    expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'past_due', failed_tries: 1 });
  });

  test('a renewal whose answer got lost, and that cannot be looked up for hours, ends within minutes of its return', async () => {
    const life = await pastDue();
    life.replica.fail('answered', 'throws_after');
    await give(life, 'sim_renewal_action_ignored');
    expect(await newest(life)).toMatchObject({ status: 'unknown' });
    await minutes(
      startWith(() => ({ lookUp: out })),
      3 * 60,
    );
    await minutes(life.replica, 6);
    await expectEnded(life, 'authentication_required');
  });

  test('one that arrived although nothing was to be done, and waits when it is sent again, is declined as without the buyer', async () => {
    const life = await pastDue();
    const refuses = startWith((inner) => ({
      chargeSaved: async (...sent): Promise<SentOutcome> => {
        await inner.chargeSaved(...sent);
        return { status: 'not_done', why: 'rate_limited', message: 'Later.' };
      },
    }));
    await give({ ...life, replica: refuses }, 'sim_renewal_action_ignored');
    await expectEnded(life, 'nothing_done');
    replicas.clock.advance(dayMs);
    await life.replica.daily(life.account);
    // Stripe's look-up cancels it; of any other one that waits the next round gives it up.
    await life.replica.round();
    await expectEnded(life, 'authentication_required');
    expect(await stories(life)).toEqual(['payment-failed', 'payment-failed']);
    expect(await readSubscription(replicas, life.id)).toMatchObject({ failed_tries: 1 });
  });
});
