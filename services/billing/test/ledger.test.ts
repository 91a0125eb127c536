import { newId } from '@app/contracts/ids';
import { deleteExpired } from '@app/service-kit/retention';
import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { lookUpDeclined } from '../src/charging/given-up-attempts.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { retention } from '../src/db/retention.ts';
import type { Fact } from '../src/ledger/facts.rules.ts';
import { writeFacts } from '../src/ledger/write-facts.ts';
import { matchNewest } from '../src/reconciliation/books/charge-when-matched.ts';
import { confirmUnmatched, readUnmatched } from '../src/reconciliation/unmatched-payments/unmatched-payments.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { dyingAt } from './dying-process.ts';
import { factsOf } from './facts.ts';
import { dayMs, minuteMs, newAccount, type Wrap } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { subscribe } from './subscriptions-of-tests.ts';

openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });
const orderInput = (fields: Parameters<typeof startInput>[0] = {}) =>
  startInput({ orderId: newId('order', replicas.clock.nowMs()), ...fields });

const seen = async (account: string) =>
  (await factsOf(replicas.database, account)).map(({ kind, seen_by, amount_cents }) => [kind, seen_by, amount_cents]);

test('answers keep what they told with what they change: charges, holds, captures, refunds; a decline and a saved card tell nothing', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const paid = orderInput();
  await startPayment(replica.deps, caller(account), paid);
  await startPayment(replica.deps, caller(account), orderInput({ paymentMethod: 'sim_declined' }));
  await refundCharges(replica.deps, caller(account), paid.orderId);
  const held = orderInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, caller(account), held);
  await settleHold(replica.deps, caller(account), held.orderId, 'declined');
  await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  await replica.renew(account);
  expect(await seen(account)).toEqual([
    ['charge', 'answer', 4_900],
    ['refund', 'answer', 4_900],
    ['hold', 'answer', 4_900],
    ['capture', 'answer', 4_900],
    ['charge', 'answer', 1_900],
  ]);
  const facts = await factsOf(replicas.database, account);
  const { payments } = await replicas.money(account, paid.orderId);
  const named = new Map(facts.map(({ payment_id, reference }) => [payment_id, reference]));
  expect(payments.map(({ id }) => named.get(id))).toEqual(payments.map(({ processorReference }) => processorReference));
  expect(facts.map(({ about }) => about)).toEqual([null, facts[0]?.reference, null, facts[2]?.reference, null]);
  expect(facts.filter(({ lacked }) => lacked)).toEqual([]);
});

test('a look-up and a list tell it too, each once; a list once for each time that it is read', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  replica.fail('answer_lost');
  await startPayment(replica.deps, caller(account), orderInput());
  replicas.clock.advance(2 * minuteMs);
  await replica.round();
  expect(await seen(account)).toEqual([['charge', 'look-up', 4_900]]);
  await replica.daily(account);
  expect(await seen(account)).toEqual([
    ['charge', 'look-up', 4_900],
    ['charge', 'list', 4_900],
  ]);
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  await replica.daily(account);
  expect((await seen(account)).map(([, by]) => by)).toEqual(['look-up', 'list', 'list']);
});

test('the list that is read before charging keeps what a payment here does not explain alike, and nothing else', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const paid = orderInput();
  const { paymentId } = await startPayment(replica.deps, caller(account), paid);
  await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const of = { accountId: account, processor: 'simulated', test: false };
  const [answer] = await factsOf(replicas.database, account);
  const same = sighting({ paymentId, orderId: paid.orderId, amountCents: 4_900, reference: answer?.reference ?? '' });
  const others: Partial<Fact>[] = [
    ...[{ amountCents: 4_901 }, { currency: 'eur' }, { reference: 'ch_other' }, { status: 'failed' as const }],
    ...[{ kind: 'refund' as const }, { paymentId: newId('payment', replicas.clock.nowMs()), orderId: null }],
  ];
  const atOf = (n: number): Date => new Date(replicas.clock.nowMs() + n);
  await writeFacts(replicas.database, of, [same], { by: 'list', at: atOf(0) }, false);
  for (const [n, other] of others.entries()) {
    await writeFacts(replicas.database, of, [{ ...same, ...other }], { by: 'list', at: atOf(n) }, false);
  }
  expect((await seen(account)).filter(([, by]) => by === 'list')).toHaveLength(others.length);
  const elsewhere = newAccount();
  await writeFacts(replicas.database, { ...of, accountId: elsewhere }, [same], { by: 'list', at: atOf(0) }, false);
  expect(await seen(elsewhere)).toEqual([['charge', 'list', 4_900]]);
});

test('what payments explain is kept when the books are compared, and not when the newest payments are read before charging', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  await startPayment(replica.deps, caller(account), orderInput());
  await matchNewest(replica.deps, { accountId: account, isClosing: () => false }, replicas.clock.now());
  expect(await seen(account)).toEqual([['charge', 'answer', 4_900]]);
  await replica.daily(account);
  expect(await seen(account)).toEqual([
    ['charge', 'answer', 4_900],
    ['charge', 'list', 4_900],
  ]);
});

test('a comparison looks up what its list shows once, and again only what nothing had explained, of which it reports the rest', async () => {
  const account = newAccount();
  let lookUps = 0;
  const database: Wrap['database'] = (inner) => {
    const query = async (config: { readonly name?: string }, values?: unknown[]) => {
      const { rows } = await inner.pool.query(config as never, values);
      if (config.name === 'books-unexplained-facts') lookUps += rows.length;
      return { rows };
    };
    return { ...inner, pool: Object.assign(Object.create(inner.pool), { query }) };
  };
  const replica = replicas.start({ database });
  await startPayment(replica.deps, caller(account), orderInput());
  await replica.daily(account);
  // The last row of a page is there although it is explained.
  expect(lookUps).toBe(1);
  const differing = orderInput();
  await startPayment(replicas.start().deps, caller(account), differing);
  await replicas.database.pool.query(
    `update charges set reference = 'ch_other' where account_id = $1 and order_id = $2`,
    [account, differing.orderId],
  );
  await replicas.database.pool.query(
    `update payments set processor_reference = 'ch_other' where account_id = $1 and order_id = $2`,
    [account, differing.orderId],
  );
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  const orphans = (await replicas.events(account)).filter(({ data }) => 'code' in data && data.code === 'orphan');
  expect(orphans.map(({ data }) => data)).toMatchObject([
    { orderId: differing.orderId },
    { orderId: differing.orderId },
  ]);
});

test('a process that is killed while it records an answer keeps neither the answer nor what it told', async () => {
  // Seams 1 to 4 are about the attempt and its call; each of six statements of one transaction then has two, the last one before its end.
  for (let seam = 5; seam <= 16; seam += 1) {
    const [account, input] = [newAccount(), orderInput()];
    const killed = replicas.start(dyingAt(seam));
    await expect(startPayment(killed.deps, caller(account), input), `${seam}`).rejects.toSatisfy(isDeath);
    expect([seam, await seen(account)]).toEqual([seam, []]);
    expect(await replicas.money(account, input.orderId)).toMatchObject({ payments: [{ status: 'sent' }], charges: [] });
    replicas.clock.advance(2 * minuteMs);
    await replicas.start().round();
    expect(await seen(account)).toEqual([['charge', 'look-up', 4_900]]);
    expect((await replicas.money(account, input.orderId)).charges).toHaveLength(1);
  }
});

test('a success that has to wait for another payment of its order is kept at once', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const input = orderInput();
  replica.fail('late');
  const { paymentId } = await startPayment(replica.deps, caller(account), input);
  replicas.clock.advance(minuteMs);
  await replica.round();
  // Another attempt waits for its buyer: that one has the order's only slot.
  const open = { ...input, attemptNo: 2, paymentMethod: 'sim_action_ignored', returnUrl: 'https://shop.example/' };
  expect(await startPayment(replica.deps, caller(account), open)).toMatchObject({ status: 'requires_action' });
  await replica.processor.deliverLate();
  const declined = { id: paymentId, accountId: account, orderId: input.orderId };
  expect(await lookUpDeclined(replica.deps, declined)).toBe('later');
  expect(await seen(account)).toEqual([['charge', 'look-up', 4_900]]);
  expect((await replicas.money(account, input.orderId)).charges).toEqual([]);
});

const sighting = (fields: Partial<Fact> = {}): Fact => ({
  ...{ reference: 'ch_1', kind: 'charge', status: 'succeeded', amountCents: 100, currency: 'usd' },
  ...{ paymentId: newId('payment', replicas.clock.nowMs()), orderId: null, about: null, message: null },
  recordedAt: replicas.clock.now(),
  ...fields,
});

test('facts are added and never changed', async () => {
  const account = newAccount();
  const of = { accountId: account, processor: 'simulated', test: false };
  const at = replicas.clock.now();
  await writeFacts(replicas.database, of, [sighting()], { by: 'list', at });
  await writeFacts(replicas.database, of, [sighting({ amountCents: 999 })], { by: 'list', at });
  await writeFacts(replicas.database, of, [sighting({ amountCents: 999 })], { by: 'webhook', at });
  const kept = await factsOf(replicas.database, account);
  expect(kept.map(({ seen_by, amount_cents }) => [seen_by, amount_cents])).toEqual([
    ['list', 100],
    ['webhook', 999],
  ]);
  for (const change of ['amount_cents = 1', 'lacked = false']) {
    await expect(
      replicas.database.pool.query(`update processor_facts set ${change} where account_id = $1`, [account]),
    ).rejects.toThrow('what a processor did is not changed');
  }
  expect(await factsOf(replicas.database, account)).toEqual(kept);
});

test('the same reference of another account, processor or mode is another fact', async () => {
  const [account, other] = [newAccount(), newAccount()];
  const seenNow = { by: 'webhook', at: replicas.clock.now() } as const;
  const of = { accountId: account, processor: 'simulated', test: false };
  for (const each of [of, { ...of, accountId: other }, { ...of, processor: 'stripe' }, { ...of, test: true }]) {
    await writeFacts(replicas.database, each, [sighting()], seenNow);
  }
  const kept = [...(await factsOf(replicas.database, account)), ...(await factsOf(replicas.database, other))];
  expect(kept.map(({ processor, test: isTest, lacked }) => [processor, isTest, lacked])).toEqual([
    ['simulated', false, true],
    ['stripe', false, true],
    ['simulated', true, false],
    ['simulated', false, true],
  ]);
});

test('what the seller confirmed stays confirmed until its last sighting has gone; what waits for the seller stays', async () => {
  const [account, waiting] = [newAccount(), newAccount()];
  const sightings = [sighting(), sighting({ reference: 'ch_2' })];
  const see = async (accountId: string) => {
    const at = replicas.clock.now();
    await writeFacts(replicas.database, { accountId, processor: 'simulated', test: false }, sightings, {
      by: 'list',
      at,
    });
  };
  for (const each of [account, waiting]) await see(each);
  replicas.clock.advance(dayMs);
  await confirmUnmatched(replicas.database, account, replicas.clock.now());
  // The lists of the days after show it again.
  replicas.clock.advance(3 * dayMs);
  for (const each of [account, waiting]) await see(each);
  for (const days of [11, 380, 2, 1, 1, 1, 1]) {
    replicas.clock.advance(days * dayMs);
    await deleteExpired(replicas.database, retention(replicas.clock));
    expect(await readUnmatched(replicas.database, account)).toBeUndefined();
    expect(await readUnmatched(replicas.database, waiting)).toMatchObject({ count: 2 });
  }
  replicas.clock.advance(dayMs);
  await deleteExpired(replicas.database, retention(replicas.clock));
  expect(await factsOf(replicas.database, account)).toEqual([]);
});
