import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { releaseHold } from '../src/advancing/release-hold.ts';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { expectBooksEqual } from './reconciliation.ts';
import { openReplicas, replicas } from './set-up.ts';
import { untilSettled } from './until-settled.ts';

openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });

interface HeldOrder {
  readonly account: string;
  readonly orderId: string;
}

async function heldOrder(by: Replica, paymentMethod = 'sim_ok'): Promise<HeldOrder> {
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, paymentMethod });
  expect(await startPayment(by.deps, caller(account), input)).toMatchObject({ status: 'held' });
  return { account, orderId: input.orderId };
}

const release = ({ account, orderId }: HeldOrder, by: Replica) => releaseHold(by.deps, caller(account), orderId);
const settle = ({ account, orderId }: HeldOrder, by: Replica, decision: 'accepted' | 'declined') =>
  settleHold(by.deps, caller(account), orderId, decision);

const eventsOf = async ({ account }: HeldOrder, name: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === `evt.billing.${name}.v1`)
    .map(({ data }) => data);

/** The kinds of what the processor has done of the order beside the hold, in its own books. */
const done = async ({ account }: HeldOrder) =>
  (await replicas.books(account))
    .filter(({ kind, status }) => status === 'succeeded' && kind !== 'hold')
    .map(({ kind }) => kind);

const released = { status: 'lost', reason: 'released', decision: 'not_decided', upsell: null, capturedCents: 0 };

/** Days pass with their daily runs. */
async function passDays(order: HeldOrder, by: Replica): Promise<void> {
  for (let day = 0; day < 9; day += 1) {
    replicas.clock.advance(dayMs);
    await by.round();
    await by.daily(order.account);
  }
}

async function expectReleased(order: HeldOrder, by: Replica): Promise<void> {
  await untilSettled(replicas, by, order.account, order.orderId);
  expect(await release(order, by)).toMatchObject(released);
  expect(await settle(order, by, 'accepted')).toMatchObject(released);
  expect(await done(order)).toEqual(['release']);
  expect(await eventsOf(order, 'hold.settled')).toMatchObject([released]);
  await expectBooksEqual(replicas, order.account, order.orderId);
}

test('a hold that the seller releases is never captured nor charged, however much time passes', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  expect(await release(order, replica)).toMatchObject(released);
  await passDays(order, replica);
  await expectReleased(order, replica);
  expect(replica.processor.calls.map(({ method }) => method)).not.toContain('capture');
  expect(await eventsOf(order, 'payment.noticed')).toMatchObject([
    { summary: expect.stringContaining('was released. Nothing was charged') },
  ]);
});

test('a hold that was captured is not released, and an order without a hold has none to release', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  await settle(order, replica, 'accepted');
  expect(await release(order, replica)).toMatchObject({ status: 'settled', decision: 'accepted', upsell });
  expect(await done(order)).toEqual(['capture', 'charge']);
  const refused = { code: 'invalid_transition' };
  await expect(release({ ...order, orderId: newId('order', 0) }, replica)).rejects.toMatchObject(refused);
  await expect(release({ ...order, account: newAccount() }, replica)).rejects.toMatchObject(refused);
});

test('a buyer who accepts, the timer, the daily run and two releases at once: the hold is captured or released, never both', async () => {
  const ends = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const [a, b] = [replicas.start(), replicas.start()];
    const order = await heldOrder(a);
    if (round % 2 === 0) replicas.clock.advance(hourMs);
    const at = [a, b, a, b];
    const buyer = () => settle(order, b, 'accepted');
    const seller = () => Promise.all([release(order, at[round % 4] as Replica), release(order, b)]);
    const background = () => Promise.all([a.round(), b.daily(order.account)]);
    const together = round % 3 === 0 ? [seller(), buyer(), background()] : [buyer(), background(), seller()];
    await Promise.all(together);
    await untilSettled(replicas, a, order.account, order.orderId);
    await expectBooksEqual(replicas, order.account, order.orderId);
    const all = await done(order);
    expect([['release'], ['capture'], ['capture', 'charge']]).toContainEqual(all);
    ends.add(String(all[0]));
  }
  expect(ends.size).toBeGreaterThan(0);
});

test('whatever dies while a hold is released, before and after each of its steps, it ends released and nothing is charged', async () => {
  let deaths = 0;
  for (let seam = 1; seam <= 40; seam += 1) {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    const isDead = await release(order, replicas.start(dyingAt(seam))).then(
      () => false,
      (err: unknown) => isDeath(err),
    );
    if (!isDead) {
      await expectReleased(order, replica);
      break;
    }
    deaths += 1;
    // The seller was answered nothing: before the decision is stored the buyer may still decide.
    const { hold } = await replicas.money(order.account, order.orderId);
    if (hold?.decision !== 'released' && hold?.status !== 'lost') await release(order, replica);
    await expectReleased(order, replica);
  }
  expect(deaths).toBeGreaterThan(5);
});

test('while a capture has no answer the hold is not released: what the processor has decides', async () => {
  for (const [fault, end] of [
    ['throws_after', ['capture']],
    ['throws_before', ['capture']],
  ] as const) {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    replica.fail(fault);
    expect(await settle(order, replica, 'declined')).toMatchObject({ status: 'settling' });
    const waits = await release(order, replica);
    expect(waits).toMatchObject({ status: 'settling', decision: 'declined' });
    expect(waits.releasing).toBeUndefined();
    await untilSettled(replicas, replica, order.account, order.orderId);
    expect(await release(order, replica)).toMatchObject({ status: 'settled', capturedCents: 4900 });
    expect(await done(order)).toEqual(end);
  }
});

test('a release without an answer is looked up, and one that never arrived is sent again with its key', async () => {
  for (const fault of ['throws_after', 'throws_before'] as const) {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    replica.fail(fault);
    expect(await release(order, replica)).toMatchObject({ status: 'settling', releasing: true });
    expect(await settle(order, replica, 'accepted')).toMatchObject({ status: 'settling', decision: 'not_decided' });
    replicas.clock.advance(minuteMs);
    await replica.round();
    await expectReleased(order, replica);
    const keys = replica.processor.calls.filter(({ method }) => method === 'release').map((call) => call.paymentId);
    expect(new Set(keys).size).toBe(1);
  }
});

test('a hold whose capture was declined waits for no next one: the seller may release it', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica, 'sim_capture_fails');
  expect(await settle(order, replica, 'accepted')).toMatchObject({ status: 'settling' });
  expect(await release(order, replica)).toMatchObject(released);
  await passDays(order, replica);
  await expectReleased(order, replica);
});

test('a hold that expired before it was released is not charged on the saved card', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  replicas.clock.advance(8 * dayMs);
  expect(await release(order, replica)).toMatchObject(released);
  await passDays(order, replica);
  expect(await done(order)).toEqual([]);
});

test('a release that comes while the card is being held releases the hold', async () => {
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  const buyer = replicas.start();
  let isHeld = false;
  const releasing = replicas.start({
    // The card is held after the first look at the hold, and before the second one.
    database: (database) => ({
      ...database,
      transaction: async (...of) => {
        const result = await database.transaction(...of);
        if (!isHeld) await startPayment(buyer.deps, caller(account), input);
        isHeld = true;
        return result;
      },
    }),
  });
  expect(await release({ account, orderId: input.orderId }, releasing)).toMatchObject(released);
});

test('a hold that was captured in part at the processor is not released: the order is paid with the part, and the seller reads it', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  const reference = (await replicas.money(order.account, order.orderId)).hold?.reference ?? '';
  const call = {
    accountId: order.account,
    secretKey: undefined,
    test: false,
    signal: new AbortController().signal,
  };
  const request = { paymentId: newId('payment', 0), amountCents: 3000, currency: 'usd', reference };
  expect(await replicas.simulated.capture(request, call)).toMatchObject({ status: 'succeeded' });
  expect(await release(order, replica)).toMatchObject({ status: 'settled', capturedCents: 3000 });
  await passDays(order, replica);
  expect(await done(order)).toEqual(['capture']);
  expect(await eventsOf(order, 'payment.noticed')).toMatchObject([
    { summary: expect.stringContaining('could not be released: $30.00 of it had been captured') },
  ]);
});
