import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { PaymentProcessor, SentOutcome } from '../src/processors/port.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Replicas } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });

interface HeldOrder {
  readonly account: string;
  readonly orderId: string;
  settle(by: Replica, decision: 'accepted' | 'declined'): ReturnType<typeof settleHold>;
}

async function heldOrder(by: Replica, fields: Parameters<typeof startInput>[0] = {}): Promise<HeldOrder> {
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, ...fields });
  expect(await startPayment(by.deps, caller(account), input)).toMatchObject({ status: 'held' });
  const { orderId } = input;
  return { account, orderId, settle: (who, decision) => settleHold(who.deps, caller(account), orderId, decision) };
}

const settled = async ({ account }: HeldOrder) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.hold.settled.v1')
    .map(({ data }) => [data.status, data.decision, data.upsellDeclined, data.capturedCents]);
const notices = async ({ account }: HeldOrder) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => data.summary as string);
/** What the processor took, in its own books. */
const taken = async ({ account }: HeldOrder) =>
  (await replicas.books(account))
    .filter(({ kind, status }) => status === 'succeeded' && (kind === 'charge' || kind === 'capture'))
    .map(({ kind, amountCents }) => [kind, amountCents]);

/** The first so many captures are refused, for a reason that may pass. */
function failingCaptures(inner: PaymentProcessor, count: number): PaymentProcessor {
  let left = count;
  return {
    ...inner,
    capture: async (request, call) => {
      if (left === 0) return await inner.capture(request, call);
      left -= 1;
      return { status: 'declined', kind: 'soft', reason: 'processing_error', message: 'Try again later.' };
    },
  };
}

test('the reply to a buyer and both events say which card it is, and the first two until when the upsell may be decided on', async () => {
  const by = replicas.start();
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  const held = await startPayment(by.deps, caller(account), input);
  const decideBy = new Date(replicas.clock.nowMs() + hourMs).toISOString();
  expect(held).toMatchObject({ status: 'held', lastFour: '4242', decideBy });
  expect(await startPayment(by.deps, caller(account), input)).toEqual(held);
  await settleHold(by.deps, caller(account), input.orderId, 'declined');
  const dataOf = (name: string, events: Awaited<ReturnType<Replicas['events']>>) =>
    events.find(({ subject }) => subject === `evt.billing.${name}.v1`)?.data;
  const events = await replicas.events(account);
  expect(dataOf('payment.completed', events)).toMatchObject({ status: 'held', lastFour: '4242', decideBy });
  expect(dataOf('hold.settled', events)).toMatchObject({ status: 'settled', lastFour: '4242' });
});

test('an accepted upsell is charged beside the captured hold; a declined one is not', async () => {
  const replica = replicas.start();
  const accepted = await heldOrder(replica);
  const result = await accepted.settle(replica, 'accepted');
  expect(result).toEqual({
    status: 'settled',
    decision: 'accepted',
    upsell,
    upsellDeclined: false,
    capturedCents: 4900,
    processor: 'simulated',
  });
  expect(await taken(accepted)).toEqual([
    ['capture', 4900],
    ['charge', 1500],
  ]);
  const declined = await heldOrder(replica);
  expect(await declined.settle(replica, 'declined')).toMatchObject({ status: 'settled', upsell: null });
  expect(await taken(declined)).toEqual([['capture', 4900]]);
});

test('buyer, tabs, timer and daily run decide at once on two replicas: one decision, reported once, the money taken once', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const order = await heldOrder(a);
  replicas.clock.advance(27 * hourMs);
  const decisions = [
    ...Array.from({ length: 5 }, (_, n) => order.settle(n % 2 === 0 ? a : b, 'accepted')),
    ...Array.from({ length: 5 }, (_, n) => order.settle(n % 2 === 0 ? b : a, 'declined')),
  ];
  const [counted, , ...results] = await Promise.all([b.daily(order.account), a.round(), ...decisions]);
  expect(new Set(results.map(({ decision }) => decision)).size).toBe(1);
  await a.round();
  const [result] = await Promise.all([order.settle(a, 'declined'), order.settle(b, 'accepted')]);
  const bought = result.decision === 'accepted';
  expect(await settled(order)).toEqual([['settled', result.decision, false, 4900]]);
  expect(await taken(order)).toEqual(
    bought
      ? [
          ['capture', 4900],
          ['charge', 1500],
        ]
      : [['capture', 4900]],
  );
  expect(counted).toBeLessThanOrEqual(1);
});

test('an upsell that the card declines leaves a captured order without it', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica, { paymentMethod: 'sim_renewal_requires_action' });
  const result = await order.settle(replica, 'accepted');
  expect(result).toMatchObject({ status: 'settled', upsell: null, upsellDeclined: true, capturedCents: 4900 });
  expect(await order.settle(replica, 'accepted')).toEqual(result);
  expect(await taken(order)).toEqual([['capture', 4900]]);
});

test.each([
  ['capture', ['throws_after']],
  ['upsell', ['answered', 'throws_after']],
] as const)(
  'a %s whose answer is lost is not made again: the hold goes on from what the processor has',
  async (_, faults) => {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    replica.fail(...faults);
    expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'settling', decision: 'accepted' });
    replicas.clock.advance(minuteMs);
    await replica.round();
    expect(await settled(order)).toEqual([['settled', 'accepted', false, 4900]]);
    expect(await taken(order)).toEqual([
      ['capture', 4900],
      ['charge', 1500],
    ]);
  },
);

test('a capture that the processor never got is sent again with the same key, at the first look-up after a minute', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  replica.fail('throws_before');
  expect(await order.settle(replica, 'declined')).toMatchObject({ status: 'settling' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  const [, capture, ...later] = replica.processor.calls.map(({ method, paymentId }) => [method, paymentId]);
  expect(later).toEqual([
    ['lookUp', capture?.[1]],
    ['capture', capture?.[1]],
  ]);
  expect(await taken(order)).toEqual([['capture', 4900]]);
});

test('a capture that never arrived in 23 hours ends and is never sent again; another one follows', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  replica.fail('throws_before', 'throws_before');
  await order.settle(replica, 'declined');
  replicas.clock.advance(23 * hourMs);
  // The look-up fails at first.
  await replica.round();
  replicas.clock.advance(5 * minuteMs);
  await replica.round();
  replicas.clock.advance(dayMs);
  await replica.daily(order.account);
  const captures = (await replicas.money(order.account, order.orderId)).payments.filter(
    ({ step }) => step === 'capture',
  );
  expect(captures.map(({ status, declineReason }) => [status, declineReason])).toEqual([
    ['declined', 'not_received'],
    ['succeeded', null],
  ]);
  expect(await taken(order)).toEqual([['capture', 4900]]);
});

test('a hold without a decision is settled by the daily run after its window, and counted once', async () => {
  const replica = replicas.start();
  const [order, rehearsal] = [await heldOrder(replica), await heldOrder(replica, { test: true })];
  replicas.clock.advance(60 * minuteMs - 1);
  expect(await replica.daily(order.account)).toBe(0);
  replicas.clock.advance(1);
  expect(await replica.daily(order.account)).toBe(1);
  expect(await replica.daily(order.account)).toBe(0);
  expect(await settled(order)).toEqual([['settled', 'not_decided', false, 4900]]);
  expect(await replica.daily(rehearsal.account)).toBe(0);
  expect(await settled(rehearsal)).toEqual([['settled', 'not_decided', false, 4900]]);
});

// Before and after the call of the capture, and of the charge of the upsell.
test.each([
  [7, []],
  [8, ['capture']],
  [24, ['capture']],
  [25, ['capture', 'chargeSaved']],
])(
  'a buyer whose decision met a process that was killed (seam %i) learns its end once the answer is overdue',
  async (seam, called) => {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    const killed = replicas.start(dyingAt(seam));
    await expect(order.settle(killed, 'accepted')).rejects.toSatisfy(isDeath);
    expect(killed.processor.calls.map(({ method }) => method)).toEqual(called);
    replicas.clock.advance(replica.deps.processorCalls.deadlineMs + 1_999);
    expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'settling' });
    replicas.clock.advance(1);
    expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'settled', decision: 'accepted', upsell });
    expect(await taken(order)).toEqual([
      ['capture', 4900],
      ['charge', 1500],
    ]);
  },
);

test('a hold is settled by the platform itself when its window ends, and at the latest an hour before it expires', async () => {
  const replica = replicas.start();
  const [order, long, rehearsal] = [
    await heldOrder(replica),
    await heldOrder(replica, { hold: { upsell, decisionMinutes: 7 * 24 * 60 } }),
    await heldOrder(replica, { test: true }),
  ];
  replicas.clock.advance(hourMs - 1);
  await replica.round();
  expect(await settled(order)).toEqual([]);
  replicas.clock.advance(1);
  await replica.round();
  for (const each of [order, rehearsal]) expect(await settled(each)).toEqual([['settled', 'not_decided', false, 4900]]);
  expect(await taken(order)).toEqual([['capture', 4900]]);
  // The daily run counts what it finds open alone.
  expect(await replica.daily(order.account)).toBe(0);
  expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'settled', decision: 'not_decided' });
  replicas.clock.advance(7 * dayMs - 2 * hourMs - 1);
  await replica.round();
  expect(await settled(long)).toEqual([]);
  replicas.clock.advance(1);
  await replica.round();
  expect(await settled(long)).toEqual([['settled', 'not_decided', false, 4900]]);
});

test('a capture that fails is reported, tried again daily and before the expiry; then the card is charged once instead', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica, { paymentMethod: 'sim_capture_fails' });
  expect(await order.settle(replica, 'declined')).toMatchObject({ status: 'settling', decision: 'declined' });
  expect(await order.settle(replica, 'declined')).toMatchObject({ status: 'settling' });
  const captures = () => replica.processor.calls.filter(({ method }) => method === 'capture').length;
  expect(captures()).toBe(1);
  expect(await notices(order)).toEqual([expect.stringContaining('could not be captured')]);
  replicas.clock.advance(dayMs);
  expect(await replica.daily(order.account)).toBe(0);
  expect(captures()).toBe(2);
  replicas.clock.advance(6 * dayMs - hourMs);
  await replica.round();
  expect(captures()).toBe(3);
  expect(await settled(order)).toEqual([]);
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(captures()).toBe(4);
  expect(await settled(order)).toEqual([['settled', 'declined', false, 4900]]);
  expect(await taken(order)).toEqual([['charge', 4900]]);
  // Once when it failed first, and once when it came to its end.
  expect(await notices(order)).toEqual([
    expect.stringContaining('could not be captured'),
    expect.stringContaining('the saved card was charged instead'),
  ]);
});

test('a capture that failed and succeeds later is reported: nothing is left to do', async () => {
  const replica = replicas.start({ processor: (inner) => failingCaptures(inner, 2) });
  const order = await heldOrder(replica);
  expect(await order.settle(replica, 'declined')).toMatchObject({ status: 'settling' });
  for (const status of [undefined, 'settled']) {
    replicas.clock.advance(dayMs);
    await replica.daily(order.account);
    expect((await settled(order))[0]?.[0]).toBe(status);
  }
  expect(await notices(order)).toEqual([
    expect.stringContaining('could not be captured'),
    expect.stringContaining('is taken: it was captured'),
  ]);
});

test('a hold that ended at the processor is charged once on the saved card', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica, { paymentMethod: 'sim_hold_expires' });
  expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'settled', upsell, capturedCents: 4900 });
  expect(await taken(order)).toEqual([
    ['charge', 4900],
    ['charge', 1500],
  ]);
  expect(await notices(order)).toEqual([]);
});

/** What the seller does to the hold at the processor itself. */
async function byHand(
  { account, orderId }: HeldOrder,
  what: 'release' | 'capture',
  amountCents = 4900,
): Promise<SentOutcome> {
  const reference = (await replicas.money(account, orderId)).hold?.reference ?? '';
  const call = { accountId: account, secretKey: undefined, test: false, signal: new AbortController().signal };
  return await replicas.simulated[what](
    { paymentId: newId('payment', 0), amountCents, currency: 'usd', reference },
    call,
  );
}

test.each(['accepted', 'declined', 'timer', 'daily run'] as const)(
  'a hold that was released at the processor is never charged, also not by the saved card: it ends (%s)',
  async (by) => {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    expect(await byHand(order, 'release')).toMatchObject({ status: 'succeeded' });
    if (by === 'timer' || by === 'daily run') {
      replicas.clock.advance(hourMs);
      await (by === 'timer' ? replica.round() : replica.daily(order.account));
    }
    const decision = by === 'accepted' ? 'accepted' : 'declined';
    const lost = { status: 'lost', reason: 'released', upsell: null, capturedCents: 0 };
    expect(await order.settle(replica, decision)).toMatchObject(lost);
    replicas.clock.advance(8 * dayMs);
    await replica.round();
    await replica.daily(order.account);
    expect(await order.settle(replica, decision)).toMatchObject(lost);
    expect(await taken(order)).toEqual([]);
    expect(replica.processor.calls.filter(({ method }) => method === 'chargeSaved')).toEqual([]);
    expect(await settled(order)).toHaveLength(1);
    expect(await notices(order)).toEqual([expect.stringContaining('was released at the payment processor')]);
  },
);

test('of a hold that the seller captured in part at the processor that part is taken, and the rest is not', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  expect(await byHand(order, 'capture', 3000)).toMatchObject({ status: 'succeeded' });
  expect(await order.settle(replica, 'declined')).toMatchObject({ status: 'settled', capturedCents: 3000 });
  replicas.clock.advance(8 * dayMs);
  await replica.round();
  await replica.daily(order.account);
  const { charges, hold } = await replicas.money(order.account, order.orderId);
  expect(charges.map(({ amountCents }) => amountCents)).toEqual([3000]);
  expect(hold).toMatchObject({ status: 'settled', capturedCents: 3000 });
  expect(await taken(order)).toEqual([['capture', 3000]]);
});

test('when that charge is declined too the hold is lost, for good, and the seller is notified', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica, { paymentMethod: 'sim_renewal_declined' });
  replicas.clock.advance(8 * dayMs);
  expect(await order.settle(replica, 'accepted')).toMatchObject({ status: 'lost', upsell: null, capturedCents: 0 });
  expect(await settled(order)).toEqual([['lost', 'accepted', false, 0]]);
  expect(await notices(order)).toEqual([expect.stringContaining('is lost')]);
  replicas.clock.advance(dayMs);
  await replica.round();
  expect(await replica.daily(order.account)).toBe(0);
  expect(await settled(order)).toHaveLength(1);
  expect(await taken(order)).toEqual([]);
});

test('a decision that comes while the card is being held decides on it', async () => {
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  const buyer = replicas.start();
  const deciding = replicas.start({
    // The card is held after the first statement of the decision, and before its second one.
    database: (database) => {
      const query = async (config: { name?: string }) => {
        const result = await database.pool.query(config as never);
        if (config.name === 'holds-decide') await startPayment(buyer.deps, caller(account), input);
        return result;
      };
      return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
    },
  });
  expect(await settleHold(deciding.deps, caller(account), input.orderId, 'declined')).toMatchObject({
    status: 'settled',
    decision: 'declined',
  });
});

test('an order whose card is not held has nothing to decide on', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const input = startInput();
  await startPayment(replica.deps, caller(account), input);
  await expect(settleHold(replica.deps, caller(account), input.orderId, 'accepted')).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('another account’s hold is as unknown as none', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  await expect(settleHold(replica.deps, caller(newAccount()), order.orderId, 'accepted')).rejects.toMatchObject({
    code: 'invalid_transition',
  });
  expect((await replicas.money(order.account, order.orderId)).hold).toMatchObject({ status: 'held' });
});
