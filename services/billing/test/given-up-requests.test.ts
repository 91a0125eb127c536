import { join } from 'node:path';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { startPayment as startRequest } from '@app/contracts/payments';
import { connectNats } from '@app/messaging/connect';
import { requestLate } from '@app/messaging/points';
import { createRequester } from '@app/messaging/requester';
import { spawnNode } from '@app/testing/child-service';
import { createTestNats } from '@app/testing/nats';
import { announced } from '@app/testing/points';
import { createMigratedDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { paymentRequests } from '../src/advancing/requests.ts';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { migrate } from '../src/db/migrate.ts';
import { lookUpAttempt } from '../src/reconciliation/lost-attempts.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { secretsKey } from './harness.ts';
import { charged } from './outcomes.ts';
import { hourMs, newAccount } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';

openReplicas();

/** Deadlines are of the machine's clock. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}

const unavailable = { code: 'service_unavailable' };
const hold = { upsell, decisionMinutes: 60 };

test('a charge that was requested of a process that was stopped, by a caller that gave up meanwhile, is not made; repeated it is made once', async () => {
  await using stack = new AsyncDisposableStack();
  const [database, nats] = await Promise.all([createMigratedDatabase('billing', migrate), createTestNats()]);
  stack.defer(async () => {
    await Promise.all([nats.close(), database.close()]);
  });
  const link = await connectNats(nats.login('checkout'));
  stack.defer(() => link.close());
  const settings = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, SIMULATED_PROCESSOR: 'default' };
  const env = { ...nats.settings('billing'), ...settings, LOG_LEVEL: 'error' };
  const child = await spawnNode(join(import.meta.dirname, '../src/main.ts'), env, { readyLine: /^billing ready$/ });
  stack.defer(() => child.kill('SIGKILL'));
  const { request } = createRequester(link);
  const context = { accountId: newAccount(), requestId: 'r', commandId: newIdSuffix(Date.now()) };
  const input = startInput({ orderId: newId('order', Date.now()), begunAt: new Date().toISOString() });
  const made = () => query(database.url, 'select call, status from payments');

  process.kill(child.pid, 'SIGSTOP');
  const hasty = { ...startRequest, timeoutMs: 1_500 };
  await expect(request(hasty, input, context)).rejects.toMatchObject({ code: 'outcome_unknown' });
  process.kill(child.pid, 'SIGCONT');
  await announced(requestLate, ({ commandId }) => commandId === context.commandId);
  expect(await made()).toEqual([]);
  expect(await request(startRequest, input, context)).toMatchObject({ status: 'succeeded' });
  expect(await made()).toEqual([{ call: 'charge', status: 'succeeded' }]);
});

test('a charge, a decision on a hold and a refund whose caller gave up before their row are not made; repeated they are', async () => {
  const [accountId, { deps }] = [newAccount(), replicas.start()];
  const [gaveUp, waits] = [Date.now(), Date.now() + 60_000].map((deadlineMs) => ({
    ...commandOf(accountId),
    deadlineMs,
  }));
  const [paid, held] = [startInput(), startInput({ hold })];
  const amounts = async () => (await charged(accountId)).map(({ amountCents }) => amountCents);
  if (gaveUp === undefined || waits === undefined) throw new Error('unreachable');

  await expect(startPayment(deps, gaveUp, paid)).rejects.toMatchObject(unavailable);
  expect((await replicas.money(accountId, paid.orderId)).payments).toEqual([]);
  const { paymentId } = await startPayment(deps, waits, paid);
  await startPayment(deps, waits, held);

  const refund = (by: typeof waits) => refundPayment(deps, by, paymentId, undefined);
  await expect(refund(gaveUp)).rejects.toMatchObject(unavailable);
  const settle = (by: typeof waits) => settleHold(deps, by, held.orderId, 'accepted');
  await expect(settle(gaveUp)).rejects.toMatchObject(unavailable);
  expect(await amounts()).toEqual([paid.amountCents]);
  expect(await refund(waits)).toMatchObject({ status: 'refunded' });
  expect(await settle(waits)).toMatchObject({ status: 'settled', decision: 'accepted' });
});

test('a charge that a second caller still waits for is made although the first one gave up before its row', async () => {
  const [accountId, { deps }, input] = [newAccount(), replicas.start(), startInput()];
  const start = paymentRequests(deps).find(({ definition }) => definition === startRequest)?.handle;
  const startFor = async (deadlineMs: number) =>
    start?.(input as never, { ...commandOf(accountId), traceparent: undefined, deadlineMs });
  const outcomes = [startFor(Date.now() + 1_000), startFor(Date.now() + 60_000)];
  passTime(10_000);
  expect(await Promise.all(outcomes)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
  expect((await replicas.money(accountId, input.orderId)).payments).toHaveLength(1);
});

test('an attempt that is looked up is recorded although its caller gave up: nothing is taken', async () => {
  const [accountId, { deps }] = [newAccount(), replicas.start()];
  const nowMs = replicas.clock.nowMs();
  const begun = { orderId: newId('order', nowMs), begunAt: new Date(nowMs).toISOString() };
  const { paymentMethod: _, ...attempt } = startInput(begun);
  replicas.clock.advance(hourMs);
  const gaveUp = { ...commandOf(accountId), deadlineMs: Date.now() };
  expect(await lookUpAttempt(deps, gaveUp, attempt)).toMatchObject({ status: 'declined' });
  expect(await charged(accountId)).toEqual([]);
});

test('a charge whose caller gives up while the processor works on it is recorded', async () => {
  const accountId = newAccount();
  const { deps } = replicas.start({
    processor: (processor) => ({
      ...processor,
      charge: (...of) => {
        passTime(60_000);
        return processor.charge(...of);
      },
    }),
  });
  const input = startInput();
  const caller = { ...commandOf(accountId), deadlineMs: Date.now() + 10_000 };
  expect(await startPayment(deps, caller, input)).toMatchObject({ status: 'succeeded' });
  expect((await replicas.money(accountId, input.orderId)).payments).toMatchObject([{ status: 'succeeded' }]);
});
