import { newId } from '@app/contracts/ids';
import { deleteExpired } from '@app/service-kit/retention';
import { isDeath } from '@app/testing/dying-process';
import { inTurn } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { retention } from '../src/db/retention.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { noCounts } from '../src/runs/daily-counts.rules.ts';
import { dyingAt } from './dying-process.ts';
import { factsOf } from './facts.ts';
import { dayMs, hourMs, newAccount, type Replica, runOf, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicasOf('stripe', '2026-02-01T12:00:00.000Z');

async function daily(by: Replica, account: string): Promise<string[]> {
  const counts = noCounts();
  for (const step of dailySteps(by.deps)) await step(by.deps, runOf(account, by.deps), counts);
  return counts.problems.map(({ code }) => code);
}

/** A subscription whose first payment the seller has given back at Stripe, so that its renewals are not to be charged. */
async function givenBackThere() {
  const account = newAccount();
  const input = startInput({
    orderId: newId('order', replicas.clock.nowMs()),
    paymentMethod: replicas.outside.card('sim_ok'),
  });
  await startPayment(replicas.start().deps, { accountId: account, requestId: 'r' }, input);
  const { id } = await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
  const [charge] = (await replicas.money(account, input.orderId)).charges;
  expect(replicas.outside.refundThere(charge?.reference ?? '')).toBe(true);
  return { account, orderId: input.orderId, subscription: async () => await readSubscription(replicas, id) };
}

/** A process that cannot record a found refund, and notes from when on it reads lists. */
function failing(wrap: Wrap = {}) {
  const seen = { from: Number.POSITIVE_INFINITY };
  const replica = replicas.start({
    ...wrap,
    database: (inner) => {
      const database = wrap.database?.(inner) ?? inner;
      return {
        ...database,
        transaction: (work, ...rest) =>
          database.transaction(
            (client) => {
              const query = async (config: { readonly name?: string }, values?: unknown[]) => {
                if (config.name === 'refunds-insert-found') throw new Error('a fault of one order');
                return client.query(config as never, values as never);
              };
              return work(inTurn(client, query));
            },
            ...rest,
          ),
      };
    },
    processor: (inner): PaymentProcessor => {
      const processor = wrap.processor?.(inner) ?? inner;
      return {
        ...processor,
        list: (from, ...rest) => {
          seen.from = Math.min(seen.from, from.getTime());
          return processor.list(from, ...rest);
        },
      };
    },
  });
  return { replica, seen };
}

test('a fact that cannot be followed holds its order for as long as it takes, and lists begin no earlier for it', async () => {
  const { account, subscription } = await givenBackThere();
  let from = 0;
  for (let day = 0; day < 40; day += 1) {
    replicas.clock.advance(dayMs);
    const { replica, seen } = failing();
    expect(await daily(replica, account)).toContain('books_not_compared');
    from = seen.from;
    await deleteExpired(replicas.database, retention(replicas.clock));
  }
  expect(from).toBeGreaterThan(replicas.clock.nowMs() - 5 * dayMs - 2 * hourMs);
  // Its renewal has been due for days.
  expect(await subscription()).toMatchObject({ status: 'active', period: 1 });
  replicas.clock.advance(400 * dayMs);
  await deleteExpired(replicas.database, retention(replicas.clock));
  await daily(replicas.start(), account);
  expect(await subscription()).toMatchObject({ status: 'canceled', period: 1 });
  expect(await daily(replicas.start(), account)).toEqual([]);
  await deleteExpired(replicas.database, retention(replicas.clock));
  expect(await factsOf(replicas.database, account)).toEqual([]);
});

test('whatever dies while a fact cannot be followed, it is followed later', async () => {
  let deaths = 0;
  for (let seam = 1; seam <= 200; seam += 4) {
    const { account, subscription } = await givenBackThere();
    replicas.clock.advance(dayMs);
    const { replica } = failing(dyingAt(seam));
    const isDead = await daily(replica, account).then(() => false, isDeath);
    // No list of the next run reaches back so far, unless the day counts as unread.
    replicas.clock.advance(20 * dayMs);
    await deleteExpired(replicas.database, retention(replicas.clock));
    await daily(replicas.start(), account);
    expect(await subscription()).toMatchObject({ status: 'canceled', period: 1 });
    if (!isDead) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(5);
});
