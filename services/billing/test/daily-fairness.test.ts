import { newId } from '@app/contracts/ids';
import { createSemaphore } from '@app/service-kit/semaphore';
import { createArrivals } from '@app/testing/arrivals';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { createDailyDeps, runDailyForAccount, runDailyForAll } from '../src/daily-run/start-daily-run.ts';
import { renewalsClaimed, renewalsRead } from '../src/points/points.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { callsMax, callsOfAccountMax, renewDue, unansweredMax } from '../src/subscriptions/renewals/renew-due.ts';
import { dayMs, newAccount } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { subscribeMany } from './subscriptions-of-tests.ts';

openReplicas();

/** A processor whose answers the test releases, in the order of the calls. */
function waitingProcessor() {
  const begun = createArrivals<string>();
  const waiting: (() => void)[] = [];
  let open = false;
  return {
    /** The account of each call, in their order. */
    begun: begun.list,
    untilBegun: (count: number) => begun.wait(count, { what: 'calls' }),
    answer: (count: number) => {
      for (const proceed of waiting.splice(0, count)) proceed();
    },
    answerAll: () => {
      open = true;
      for (const proceed of waiting.splice(0)) proceed();
    },
    wrap: (inner: PaymentProcessor): PaymentProcessor => ({
      ...inner,
      chargeSaved: async (request, call) => {
        begun.push(call.accountId);
        if (!open) await new Promise<void>((resolve) => waiting.push(resolve));
        return await inner.chargeSaved(request, call);
      },
    }),
  };
}

/** More than are sent of one account first and then at once. */
const many = unansweredMax + callsOfAccountMax + 22;

/** Both accounts with much stand before the one with little in the order of ids. */
const threeAccounts = () => [newAccount(), newAccount(), newAccount()].toSorted() as [string, string, string];

const requested = () => ({
  runId: newId('dailyRun', replicas.clock.nowMs()),
  ...{ deadlineMs: Number.POSITIVE_INFINITY, force: true },
});

/** The run over all accounts has begun. */
function startRun(processor: ReturnType<typeof waitingProcessor>, partsAtOnce: number) {
  const { deps } = replicas.start({ processor: processor.wrap, deadlineMs: 600_000 });
  const daily = createDailyDeps({
    ...{ database: deps.database, clock: deps.clock, logger: deps.logger, steps: [renewDue(deps)] },
    ...{ semaphore: createSemaphore(8), partsAtOnce, partLimitMs: 600_000, isClosing: () => false },
  });
  return { daily, run: runDailyForAll(daily, requested()) };
}

const claimed = (account: string) => announced(renewalsClaimed, ({ accountId }) => accountId === account);
const countClaimed = async (account: string): Promise<number> => {
  const count = 'select count(*)::int as count from payments where account_id = $1';
  return (await replicas.database.pool.query(count, [account])).rows[0]?.count;
};

test('two accounts with much to charge keep a third one waiting for three answers, not for their whole lists', async () => {
  const [first, second, small] = threeAccounts();
  const paidAt = replicas.clock.now().toISOString();
  for (const account of [first, second]) await subscribeMany(replicas, account, many);
  replicas.clock.advance(31 * dayMs);
  const processor = waitingProcessor();
  const { run, daily } = startRun(processor, 3);
  const answered = 2 * unansweredMax;
  await processor.untilBegun(answered);
  processor.answer(answered);
  await processor.untilBegun(answered + callsMax);
  const callsOf = (account: string) => processor.begun.filter((of) => of === account).length;
  expect([callsOf(first), callsOf(second)]).toEqual(Array(2).fill(unansweredMax + callsOfAccountMax));
  await subscribeMany(replicas, small, 3, { paidAt });
  const isRead = announced(renewalsRead, ({ accountId }) => accountId === small);
  const runOfSmall = runDailyForAccount(daily, small, requested());
  await isRead;
  // Calls go to accounts one after another: its three are the next ones, wherever they stand, and not claimed before.
  expect(await countClaimed(small)).toBe(0);
  processor.answer(3);
  await processor.untilBegun(answered + callsMax + 3);
  expect(callsOf(small)).toBe(3);
  processor.answerAll();
  await Promise.all([run, runOfSmall]);
  expect([callsOf(first), callsOf(second), callsOf(small)]).toEqual([many, many, 3]);
});

test('accounts with much to charge are visited after those with little, however few are visited at a time', async () => {
  const [first, second, small] = threeAccounts();
  for (const account of [first, second]) await subscribeMany(replicas, account, 257);
  await subscribeMany(replicas, small, 3);
  replicas.clock.advance(31 * dayMs);
  const processor = waitingProcessor();
  const { run } = startRun(processor, 2);
  try {
    // No call of the two others has been answered.
    await claimed(small);
    expect(await countClaimed(small)).toBe(3);
  } finally {
    processor.answerAll();
    await run;
  }
  expect(await Promise.all([first, second, small].map(countClaimed))).toEqual([257, 257, 3]);
});
