import { newId, newIdSuffix } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { untilBlocked } from '@app/testing/poll-system';
import { inTurn, wholeWork } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import type { ProcessorRecord } from '../src/processors/port.ts';
import { recordFoundRefund } from '../src/reconciliation/unmatched-payments/record-found-refund.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, newAccount, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { openReplicas, replicas } from './set-up.ts';
import { beginPaidLife, readStory, readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

type Life = Awaited<ReturnType<typeof beginPaidLife>>;

const ends = async ({ account, id }: Life) =>
  (await readStory(replicas, account, id)).map(({ event, reason }) => [event, reason]);

/** As the seller makes one at the processor itself: nothing of ours names it. */
async function refundThere(
  { account, orderId }: Life,
  fields: Partial<ProcessorRecord> = {},
): Promise<ProcessorRecord> {
  const { charges } = await replicas.money(account, orderId);
  const [charge] = charges;
  return {
    reference: `re_${newId('refund', replicas.clock.nowMs()).slice(-26)}`,
    ...{
      paymentId: null,
      orderId,
      about: charge?.reference ?? null,
      kind: 'refund',
      status: 'succeeded',
      message: null,
    },
    ...{ amountCents: charge?.amountCents ?? 0, currency: 'usd', recordedAt: replicas.clock.now() },
    ...fields,
  };
}

const found = ({ account, replica }: Life, record: ProcessorRecord) =>
  recordFoundRefund(replica.deps, { accountId: account, processor: 'simulated' }, record);

test('a refund ends the subscription itself: without order.refunded its buyer is never charged again, however late the next run', async () => {
  const life = await beginPaidLife(replicas);
  expect(await refundCharges(life.replica.deps, life.caller, life.orderId)).toMatchObject({ status: 'refunded' });
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'canceled', next_charge_at: null });
  expect(await ends(life)).toEqual([['canceled', 'refund']]);
  replicas.clock.advance(60 * dayMs);
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
});

test('one that is found long after it was made ends it as well', async () => {
  const life = await beginPaidLife(replicas);
  const record = await refundThere(life);
  replicas.clock.advance(31 * dayMs);
  expect(await found(life, record)).toBe('recorded');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'canceled', next_charge_at: null });
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  expect(await found(life, record)).toBe('recorded');
  expect(await ends(life)).toEqual([['canceled', 'refund']]);
});

test('one that was made at the processor while a renewal is unknown does not wait for it: nothing follows that renewal', async () => {
  const life = await beginPaidLife(replicas);
  replicas.clock.advance(31 * dayMs);
  life.replica.fail('answer_lost');
  await life.replica.renew(life.account);
  const { payments } = await replicas.money(life.account, life.orderId);
  expect(payments.find(({ step }) => step === 'renewal')).toMatchObject({ status: 'unknown' });
  expect(await found(life, await refundThere(life))).toBe('recorded');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'canceled' });
  replicas.clock.advance(2 * hourMs);
  await life.replica.round();
  replicas.clock.advance(60 * dayMs);
  await life.replica.renew(life.account);
  const after = await replicas.money(life.account, life.orderId);
  expect(after.payments.filter(({ step }) => step === 'renewal')).toMatchObject([{ status: 'succeeded', period: 2 }]);
  expect(await ends(life)).toEqual([
    ['canceled', 'refund'],
    ['rebilled', undefined],
  ]);
});

test('two processes that find it at once, beside a refund of ours, give back what there is, once', async () => {
  const life = await beginPaidLife(replicas);
  const other = replicas.start();
  const record = await refundThere(life, { amountCents: 1_000 });
  const at = { accountId: life.account, processor: 'simulated' };
  const all = await Promise.all([
    recordFoundRefund(life.replica.deps, at, record),
    recordFoundRefund(other.deps, at, record),
  ]);
  expect(all).toEqual(['recorded', 'recorded']);
  const { charges, payments } = await replicas.money(life.account, life.orderId);
  expect(charges).toMatchObject([{ refundedCents: 1_000 }]);
  expect(payments.filter(({ step }) => step === 'refund')).toHaveLength(1);
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'active' });
});

test('of an order whose order.paid has not come yet none begins', async () => {
  const [account, replica, input] = [newAccount(), replicas.start(), startInput()];
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replica.deps, caller, input);
  await refundCharges(replica.deps, caller, input.orderId);
  const { id } = await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled', next_charge_at: null });
});

test('a part ends nothing, and the rest does', async () => {
  const life = await beginPaidLife(replicas);
  expect(await found(life, await refundThere(life, { amountCents: 900 }))).toBe('recorded');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'active' });
  await refundCharges(life.replica.deps, life.caller, life.orderId);
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'canceled' });
});

test('a process that dies before or after any statement of a refund leaves no subscription beside money that went back', async () => {
  for (let seam = 1; ; seam += 1) {
    const life = await beginPaidLife(replicas);
    const dying = dyingAt(seam);
    const dead = replicas.start(dying);
    await refundCharges(dead.deps, life.caller, life.orderId).catch(() => undefined);
    const [charge] = (await replicas.money(life.account, life.orderId)).charges;
    const isBack = charge?.refundedCents === charge?.amountCents;
    expect([seam, (await readSubscription(replicas, life.id)).status]).toEqual([seam, isBack ? 'canceled' : 'active']);
    replicas.clock.advance(2 * hourMs);
    await life.replica.round();
    const before = await readSubscription(replicas, life.id);
    replicas.clock.advance(40 * dayMs);
    const { charged } = await life.replica.renew(life.account);
    expect([seam, charged]).toEqual([seam, before.status === 'canceled' ? 0 : 1]);
    if (!dying.dead) break;
  }
});

/** A process whose transaction waits after this statement. */
function waitingAfter(name: string, wait: () => Promise<void>): Wrap {
  const database = (inner: Database): Database => ({
    ...inner,
    transaction: (work, lastOf) =>
      inner.transaction((client) => {
        const query = async (config: { readonly name?: string }, values?: unknown[]) => {
          const result = await client.query(config as never, values);
          if (config.name === name) await wait();
          return result;
        };
        return wholeWork(work, lastOf)(inTurn(client, query));
      }),
  });
  return { database };
}

test('a refund that is recorded while a run claims the renewal, and the claim, do not wait for each other in a circle', async () => {
  const { account, id, orderId, caller } = await beginPaidLife(replicas);
  replicas.clock.advance(31 * dayMs);
  const recorded = Promise.withResolvers<void>();
  const refunding = replicas.start(
    waitingAfter('refunds-record', async () => {
      recorded.resolve();
      await untilBlocked(replicas.database.pool);
    }),
  );
  const [charge] = (await replicas.money(account, orderId)).charges;
  const command = { ...caller, commandId: newIdSuffix(replicas.clock.nowMs()) };
  let refund: ReturnType<typeof refundPayment> | undefined;
  const renewing = replicas.start(
    actedAt('subscriptions-due', 'after', async () => {
      refund = refundPayment(refunding.deps, command, charge?.id ?? '', undefined);
      await Promise.race([recorded.promise, refund]);
    }),
  );
  expect(await renewing.renew(account)).toMatchObject({ charged: 0 });
  expect(await refund).toMatchObject({ status: 'refunded' });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
});
