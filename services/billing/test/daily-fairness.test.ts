import { newId } from '@app/contracts/ids';
import { createSemaphore } from '@app/service-kit/semaphore';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDailyDeps, runDailyForAll } from '../src/daily-runs/start-daily-run.ts';
import type { PaymentProcessor } from '../src/processors/payment-processor.ts';
import { renewDue } from '../src/renewals/renew-due.ts';
import { dayMs, newAccount, type Replicas, startReplicas } from './payment-replicas.ts';
import { subscribe } from './subscriptions-of-tests.ts';

guardLeaks();

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());

/** A processor that answers when it is told to, in the order in which it was asked. */
function waitingProcessor() {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  let open = false;
  return {
    /** The account of each call, in their order. */
    begun,
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

test('two accounts with much to charge keep a third one waiting for three answers, not for their whole lists', async () => {
  const [first, second, small] = [newAccount(), newAccount(), newAccount()].toSorted() as [string, string, string];
  for (const account of [first, second]) {
    for (let count = 0; count < 150; count += 1) await subscribe(replicas, account);
  }
  for (let count = 0; count < 3; count += 1) await subscribe(replicas, small);
  replicas.clock.advance(31 * dayMs);
  const processor = waitingProcessor();
  const { deps } = replicas.start({ processor: processor.wrap, deadlineMs: 600_000 });
  const daily = createDailyDeps({
    ...{ database: deps.database, clock: deps.clock, logger: deps.logger, steps: [renewDue(deps)] },
    ...{ semaphore: createSemaphore(8), partsAtOnce: 3, partLimitMs: 600_000, isClosing: () => false },
  });
  const requested = { runId: newId('dailyRun', deps.clock.nowMs()), deadlineMs: Number.POSITIVE_INFINITY, force: true };
  const run = runDailyForAll(daily, requested);
  // Claimed while nothing was answered to anybody.
  const claimed = 'select count(*)::int as count from payments where account_id = $1';
  await eventually(async () => (await deps.database.pool.query(claimed, [small])).rows[0]?.count === 3);
  await eventually(() => processor.begun.length === 128);
  const callsOf = (account: string) => processor.begun.filter((of) => of === account).length;
  expect(callsOf(first)).toBeLessThanOrEqual(64);
  expect(callsOf(second)).toBeLessThanOrEqual(64);
  // Those who wait for a call take turns: its three are among the next ones, wherever they stand.
  processor.answer(3);
  await eventually(() => processor.begun.length === 131);
  expect(callsOf(small)).toBe(3);
  processor.answerAll();
  await run;
  expect([callsOf(first), callsOf(second), callsOf(small)]).toEqual([150, 150, 3]);
});
