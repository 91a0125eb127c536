import { guardLeaks } from '@app/testing/leak-guard';
import { describe, expect, test } from 'vitest';
import type { PaymentProcessor, SentOutcome } from '../src/processors/payment-processor.ts';
import { dayMs, hourMs, minuteMs, type Replica } from './payment-replicas.ts';
import { openReplicasOf, replicas } from './set-up.ts';
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
  expect(payments.filter(({ finished_at }) => finished_at === null)).toEqual([]);
  expect(await newest(life)).toMatchObject({ status: 'declined', decline_reason: reason });
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

  test.runIf(processor === 'stripe')(
    'one that arrived although nothing was to be done, and waits when it is sent again, is declined as without the buyer',
    async () => {
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
      await expectEnded(life, 'authentication_required');
      expect(await stories(life)).toEqual(['payment-failed', 'payment-failed']);
      expect(await readSubscription(replicas, life.id)).toMatchObject({ failed_tries: 1 });
    },
  );
});
