import { newId } from '@app/contracts/ids';
import { guardLeaks } from '@app/testing/leak-guard';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { dayMs, newAccount, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

guardLeaks();
openReplicas();

test.each([
  ['that ends', undefined],
  // Of the ten days the first ones are read by then, and no later comparison begins before them.
  ['that breaks off at the eighth of them', 8],
])(
  'what stands on one side only is reported after ten days without a comparison, by one %s',
  async (_, brokenOffDay) => {
    const account = newAccount();
    let failsFromMs = Number.POSITIVE_INFINITY;
    const processor: Wrap['processor'] = (inner) => ({
      ...inner,
      list: (from, to, call) => {
        if (from.getTime() >= failsFromMs) throw new Error('the processor fails');
        return inner.list(from, to, call);
      },
    });
    const replica = replicas.start({ processor });
    await pay(account);
    await replica.daily(account);
    replicas.clock.advance(dayMs);
    await differ(account, await pay(account));
    const paidMs = replicas.clock.nowMs();
    replicas.clock.advance(10 * dayMs);
    if (brokenOffDay !== undefined) {
      failsFromMs = paidMs + brokenOffDay * dayMs;
      await replica.daily(account);
      failsFromMs = Number.POSITIVE_INFINITY;
      replicas.clock.advance(dayMs);
    }
    await replica.daily(account);
    const told = (await replicas.events(account)).filter(({ data }) => data.code === 'orphan');
    // The charge there, and the one here.
    expect(told).toHaveLength(2);
  },
);

async function pay(accountId: string): Promise<string> {
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()) });
  await startPayment(replicas.start().deps, { accountId, requestId: 'r' }, input);
  return input.orderId;
}

/** The processor has the charge under another reference than the one that is recorded here. */
async function differ(account: string, orderId: string): Promise<void> {
  for (const [table, column] of [
    ['charges', 'reference'],
    ['payments', 'processor_reference'],
  ])
    await replicas.database.pool.query(
      `update ${table} set ${column} = 'ch_other' where account_id = $1 and order_id = $2`,
      [account, orderId],
    );
}
