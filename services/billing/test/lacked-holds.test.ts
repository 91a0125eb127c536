import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { releaseHold } from '../src/advancing/release-hold.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { lookUpAttempt } from '../src/reconciliation/lost-attempts.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { openReplicasOf, replicas } from './set-up.ts';

openReplicasOf('stripe', '2026-02-01T12:00:00.000Z');

const caller = (accountId: string) => ({ accountId, requestId: 'r' });

interface LackedOrder {
  readonly account: string;
  readonly attempt: StartInput;
  /** The processor's, of the hold. */
  readonly reference: string;
}

/** An order whose card is held, and whose hold a restored database lacks. */
async function lackedHold(fields: Partial<StartInput> = {}): Promise<LackedOrder> {
  const account = newAccount();
  const attempt = startInput({
    orderId: newId('order', replicas.clock.nowMs()),
    begunAt: replicas.clock.now().toISOString(),
    hold: { upsell, decisionMinutes: 60 },
    paymentMethod: replicas.outside.card('sim_ok'),
    ...fields,
  });
  const copy = await copyDatabase(replicas.database);
  const held = await startPayment(replicas.start().deps, caller(account), attempt);
  expect(held).toMatchObject({ status: 'held' });
  const { hold } = await replicas.money(account, attempt.orderId);
  await copy.restore();
  replicas.clock.advance(hourMs / 2);
  return { account, attempt, reference: hold?.reference ?? '' };
}

const release = ({ account, attempt: { paymentMethod: _, ...attempt } }: LackedOrder, by: Replica) =>
  releaseHold(by.deps, caller(account), attempt.orderId, attempt);

const eventsOf = async ({ account }: LackedOrder, name: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === `evt.billing.${name}.v1`)
    .map(({ data }) => data);

/** What the processor has done of the order beside the hold. */
const done = async ({ account }: LackedOrder) =>
  (await replicas.books(account))
    .filter(({ kind, status }) => status === 'succeeded' && kind !== 'hold')
    .map(({ kind, amountCents }) => [kind, amountCents]);

/** Look-ups find nothing yet, as while the index of the processor lags. */
const findingNothing: Wrap = { processor: (inner) => ({ ...inner, lookUp: async () => null }) };

const released = { status: 'lost', reason: 'released', decision: 'not_decided', upsell: null, capturedCents: 0 };
const refused = { code: 'invalid_transition' };

async function passDays(order: LackedOrder, by: Replica): Promise<void> {
  for (let day = 0; day < 9; day += 1) {
    replicas.clock.advance(dayMs);
    await by.round();
    await by.daily(order.account);
    replicas.clock.advance(minuteMs);
    await by.round();
  }
}

test('an order whose hold was released at the processor before billing was restored ends by its release, once, and nothing is charged', async () => {
  const [order, replica] = [await lackedHold(), replicas.start()];
  expect(replicas.outside.cancelThere(order.reference)).toBe(true);
  for (let time = 0; time < 2; time += 1) expect(await release(order, replica)).toMatchObject(released);
  await passDays(order, replica);
  expect(await release(order, replica)).toMatchObject(released);
  expect(await done(order)).toEqual([['release', 4900]]);
  expect(await eventsOf(order, 'hold.settled')).toMatchObject([{ ...released, orderId: order.attempt.orderId }]);
  const sent = replica.processor.calls.filter(({ method }) => method !== 'lookUp' && method !== 'list');
  expect(sent).toEqual([]);
});

test('so does one that the processor never got, and of two releases at once one ends it', async () => {
  const order = {
    account: newAccount(),
    attempt: startInput({ hold: { upsell, decisionMinutes: 60 } }),
    reference: '',
  };
  const attempt = {
    ...order.attempt,
    orderId: newId('order', replicas.clock.nowMs()),
    begunAt: replicas.clock.now().toISOString(),
  };
  replicas.clock.advance(hourMs);
  const never = { ...order, attempt };
  // One may meet the other's look-up, whose end is not known yet.
  const at = [replicas.start(), replicas.start()];
  for (const end of await Promise.allSettled(at.map((by) => release(never, by)))) {
    expect(end).toMatchObject(end.status === 'fulfilled' ? { value: released } : { reason: refused });
  }
  expect(await Promise.all(at.map((by) => release(never, by)))).toMatchObject([released, released]);
  expect(await eventsOf(never, 'hold.settled')).toHaveLength(1);
  expect(await replicas.books(never.account)).toEqual([]);
});

test('one that is still held at the processor is recorded and released there', async () => {
  const [order, replica] = [await lackedHold(), replicas.start()];
  expect(await release(order, replica)).toMatchObject(released);
  await passDays(order, replica);
  expect(await done(order)).toEqual([['release', 4900]]);
  expect(await eventsOf(order, 'hold.settled')).toMatchObject([released]);
});

test.each([
  ['just before', 0],
  // The row that the look-up makes is as young as the look-up.
  ['hours before', 3 * hourMs],
])('one that was captured at the processor %s is paid with what was captured', async (_, passedMs) => {
  const [order, replica] = [await lackedHold(), replicas.start()];
  expect(replicas.outside.captureThere(order.reference, 3_000)).toBe(true);
  replicas.clock.advance(passedMs);
  expect(await release(order, replica)).toMatchObject({ status: 'settled', capturedCents: 3_000 });
  await passDays(order, replica);
  expect(await done(order)).toEqual([['capture', 3_000]]);
});

test('while the processor cannot be asked nothing ends, and the seller is told to try again', async () => {
  const [order, replica] = [await lackedHold(), replicas.start()];
  replicas.outside.cancelThere(order.reference);
  replica.fail('throws_before');
  await expect(release(order, replica)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('not known yet'),
  });
  expect(await eventsOf(order, 'hold.settled')).toEqual([]);
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await release(order, replica)).toMatchObject(released);
});

test('an order that was charged at once, and one of a request without its attempt, have no hold that could be released', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const attempt = startInput({ paymentMethod: replicas.outside.card('sim_ok') });
  await startPayment(replica.deps, caller(account), attempt);
  await expect(release({ account, attempt, reference: '' }, replica)).rejects.toMatchObject(refused);
  const order = await lackedHold();
  const { orderId } = order.attempt;
  await expect(releaseHold(replica.deps, caller(order.account), orderId)).rejects.toMatchObject(refused);
  await expect(release({ ...order, account: newAccount() }, replica)).resolves.toMatchObject(released);
  expect((await replicas.money(order.account, orderId)).payments).toEqual([]);
});

test('what the processor never got at first and got since is released beside a hold that was ended', async () => {
  const [order, replica] = [await lackedHold(), replicas.start()];
  const blind = replicas.start(findingNothing);
  expect(await release(order, blind)).toMatchObject(released);
  await passDays(order, replica);
  expect(await done(order)).toEqual([['release', 4900]]);
  expect(await eventsOf(order, 'hold.settled')).toHaveLength(1);
});

test('a hold that is found at the moment when it is ended is released, and never both', async () => {
  const [order, other] = [await lackedHold(), replicas.start()];
  const { attempt } = order;
  const find = () => lookUpAttempt(other.deps, caller(order.account), { ...attempt, attemptNo: 2 });
  const blind = replicas.start({ ...actedAt('holds-lacked', 'before', find), ...findingNothing });
  expect(await release(order, blind)).toMatchObject({ reason: 'released' });
  await passDays(order, other);
  expect(await done(order)).toEqual([['release', 4900]]);
  expect(await eventsOf(order, 'hold.settled')).toHaveLength(1);
});

test('whatever dies while it ends, it ends once, and nothing is charged', async () => {
  let deaths = 0;
  for (let seam = 1; seam <= 60; seam += 1) {
    const [order, replica] = [await lackedHold(), replicas.start()];
    replicas.outside.cancelThere(order.reference);
    const isDead = await release(order, replicas.start(dyingAt(seam))).then(() => false, isDeath);
    replicas.clock.advance(hourMs);
    await replica.round();
    expect(await release(order, replica)).toMatchObject(released);
    expect(await eventsOf(order, 'hold.settled')).toHaveLength(1);
    expect(await done(order)).toEqual([['release', 4900]]);
    if (!isDead) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(5);
});
