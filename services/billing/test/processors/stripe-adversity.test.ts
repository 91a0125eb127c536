import { hourMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { databaseOptions, migrate } from '../../src/db/migrate.ts';
import type { CardRequest, ProcessorCall, ProcessorRecord } from '../../src/processors/port.ts';
import { checkKeys } from '../../src/processors/settings/stored-keys.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import type { PaymentIntent, SetupIntent } from '../stripe/objects.ts';
import { type StripeFault, type StripeRequest, StripeStandIn } from '../stripe/stripe-stand-in.ts';
import { waiting } from './conformance/suite.ts';

guardLeaks();

const liveKey = 'sk_live_shop';
const begin = '2026-03-15T12:00:00.000Z';

let own: TestDatabase;
let database: Database;
let clock: FakeClock;
let stripe: StripeStandIn;
/** How far Stripe's clock is ahead of ours, in milliseconds. */
let skewMs = 0;
let processor: StripeProcessor;
beforeAll(async () => {
  own = await createMigratedDatabase('billing', migrate);
  database = await openDatabase(databaseOptions(own.url));
});
afterAll(async () => {
  await database.close();
  await own.close();
});
beforeEach(async () => {
  clock = fakeClock(begin);
  skewMs = 0;
  stripe = await StripeStandIn.start({ nowMs: () => clock.nowMs() + skewMs });
  stripe.accept(liveKey);
  // Long enough for a machine that does much else: only the test of the deadline waits for it.
  processor = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 10_000 });
});
afterEach(async () => {
  processor.close();
  await stripe.close();
});

const accountId = newId('account', Date.parse(begin));
const call = (over: Partial<ProcessorCall> = {}): ProcessorCall => ({
  ...{ accountId, secretKey: liveKey, test: false, signal: AbortSignal.timeout(60_000) },
  ...over,
});
const card = (over: Partial<CardRequest> = {}): CardRequest => ({
  paymentId: newId('payment', clock.nowMs()),
  orderId: newId('order', clock.nowMs()),
  ...{ amountCents: 4_900, currency: 'usd', paymentMethod: 'pm_card_visa', customerEmail: 'ada@example.com' },
  returnUrl: 'https://shop.example/c/shop/course',
  ...over,
});
const isCharge = ({ method, path }: StripeRequest): boolean => method === 'POST' && path === '/v1/payment_intents';
const intents = () => stripe.booksOf(liveKey).all<PaymentIntent>('payment_intent');
const sent = (path: string) => stripe.requests.filter((request) => request.path === path);
const list = async (fromMs = Date.parse(begin)) => {
  const records: ProcessorRecord[] = [];
  for await (const record of processor.list(new Date(fromMs), new Date(clock.nowMs() + 1_000), call()))
    records.push(record);
  return records;
};

test.each([
  { faults: ['broken_before'] },
  { faults: ['broken_after'] },
  { faults: ['html_after'] },
  { faults: ['rate_limited', 'rate_limited', 'broken_after', 'rate_limited'] },
] as { faults: StripeFault[] }[])(
  'after $faults the sending goes out again under its key, and charges once',
  async ({ faults }) => {
    stripe.fail(isCharge, ...faults);
    const request = card();
    expect(await processor.charge(request, call())).toMatchObject({ status: 'succeeded' });
    expect(intents()).toHaveLength(1);
    const charges = stripe.requests.filter(isCharge);
    expect(charges).toHaveLength(faults.length + 1);
    expect(new Set(charges.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([request.paymentId]));
  },
);

test('what waits until its key may be forgotten is not sent again: another sending would charge anew', async () => {
  const request = card();
  const { savedMethod = '' } = await processor.charge(card(), call()).then((paid) => ({ savedMethod: '', ...paid }));
  const keyUntilMs = clock.nowMs() + 23 * hourMs;
  const mayLeave = (): boolean => clock.nowMs() < keyUntilMs;
  // The machine sleeps while the answer is on its way, and the connection is broken when it wakes.
  const slept = stripe.arrived(request.paymentId).then(() => clock.advance(3 * 24 * hourMs));
  stripe.fail(isCharge, 'broken_after');
  await expect(processor.chargeSaved({ ...request, savedMethod }, call({ mayLeave }))).rejects.toThrow('forgotten');
  await slept;
  expect(intents().filter(({ metadata }) => JSON.stringify(metadata).includes(request.paymentId))).toHaveLength(1);
  const sought = { call: 'chargeSaved', request: { ...request, savedMethod } } as const;
  expect(await processor.lookUp(sought, call())).toMatchObject({ status: 'succeeded' });
});

test('a rate that stays limited did nothing; where the sending before it may have arrived the outcome is unknown', async () => {
  const hurried = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 2_000 });
  onTestFinished(() => hurried.close());
  stripe.fail(isCharge, ...Array<StripeFault>(30).fill('rate_limited'));
  const nothing = { status: 'not_done', why: 'rate_limited', message: expect.stringContaining('Too many requests') };
  expect(await hurried.charge(card(), call())).toEqual(nothing);
  stripe.mend();
  stripe.fail(isCharge, 'broken_after', ...Array<StripeFault>(60).fill('rate_limited'));
  await expect(hurried.charge(card(), call())).rejects.toThrow('429');
});

test('without a connection nothing was done', async () => {
  const away = openStripeProcessor(database, { apiUrl: 'http://127.0.0.1:9', deadlineMs: 300 });
  expect(await away.charge(card(), call())).toMatchObject({ status: 'not_done', why: 'no_connection' });
  away.close();
});

test('where Stripe takes no such request, as from an account that may not charge, nothing was done', async () => {
  const nothing = { status: 'not_done', why: 'request_refused', message: expect.stringContaining('cannot currently') };
  const { savedMethod = '' } = await processor.charge(card(), call()).then((paid) => ({ savedMethod: '', ...paid }));
  stripe.disturb(({ method, path }) =>
    method === 'POST' && path.endsWith('_intents') ? 'charges_disabled' : undefined,
  );
  expect(await processor.charge(card(), call())).toEqual(nothing);
  expect(await processor.saveMethod(card({ amountCents: 0 }), call())).toEqual(nothing);
  expect(await processor.chargeSaved({ ...card(), savedMethod }, call())).toEqual(nothing);
  // After the intent was made an error says nothing of that.
  stripe.mend();
  stripe.fail(({ path }) => path.endsWith('/cancel'), 'charges_disabled');
  await expect(processor.charge(card({ paymentMethod: 'pm_standin_script' }), call())).rejects.toThrow(
    'cannot currently',
  );
});

test('a key without the permission did nothing, and neither did one of the other mode', async () => {
  stripe.restrict(liveKey, ['/v1/payment_intents']);
  const lacks = { status: 'not_done', why: 'not_permitted', message: expect.stringContaining('PaymentIntents: write') };
  expect(await processor.charge(card(), call())).toMatchObject(lacks);
  const nothing = { status: 'not_done', why: 'key_refused' };
  for (const [test, secretKey] of [
    [true, 'sk_live_shop'],
    [false, 'rk_test_shop'],
  ] as const) {
    expect(await processor.charge(card(), call({ test, secretKey }))).toMatchObject(nothing);
    await expect(processor.lookUp({ call: 'charge', request: card() }, call({ test, secretKey }))).rejects.toThrow(
      'mode',
    );
  }
  expect(intents()).toEqual([]);
});

test('while the clock of the deployment is moved live keys charge nothing, and none is stored', async () => {
  const isClockMoved = () => true;
  const moved = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 2_000, isClockMoved });
  expect(await moved.charge(card(), call())).toMatchObject({ status: 'not_done', why: 'key_refused' });
  stripe.accept('sk_test_shop');
  const rehearsal = call({ test: true, secretKey: 'sk_test_shop' });
  expect(await moved.charge(card(), rehearsal)).toMatchObject({ status: 'succeeded' });
  const live = { secretKey: liveKey, publishableKey: 'pk_live_shop' };
  const settings = { keyOwner: moved.keyOwner, isClockMoved, deadlineMs: 2_000, wakeEndpoints: () => undefined };
  await expect(checkKeys(settings, accountId, { processor: 'stripe', live })).rejects.toMatchObject({
    errors: [{ field: 'live', code: 'not_allowed' }],
  });
  moved.close();
});

test('an error after the work is unknown, and repeated as long as the key lives; the look-up finds what was done', async () => {
  stripe.fail(isCharge, 'error_after');
  const request = card();
  await expect(processor.charge(request, call())).rejects.toThrow('500');
  await expect(processor.charge(request, call())).rejects.toThrow('500');
  // Reads are repeated.
  stripe.fail(({ method }) => method === 'GET', 'error_after', 'broken_after', 'html_after');
  expect(await processor.lookUp({ call: 'charge', request }, call())).toMatchObject({ status: 'succeeded' });
  expect(intents()).toHaveLength(1);
});

test('an order has one customer for all its attempts, which a lost database finds by time', async () => {
  const request = card();
  await processor.charge(card({ orderId: request.orderId, paymentMethod: 'pm_card_chargeDeclined' }), call());
  await processor.charge(request, call());
  expect(sent('/v1/customers')).toHaveLength(1);
  await query(own.url, 'delete from stripe_customers');
  expect(await processor.lookUp({ call: 'charge', request }, call())).toMatchObject({ status: 'succeeded' });
  expect(await processor.lookUp({ call: 'charge', request: card() }, call())).toBeNull();
});

test('an error that Stripe keeps of a new customer keeps the order’s next attempt from nothing', async () => {
  stripe.fail(({ path }) => path === '/v1/customers', 'error_after');
  const request = card();
  await expect(processor.charge(request, call())).rejects.toThrow('500');
  await expect(processor.charge(request, call())).rejects.toThrow('500');
  expect(intents()).toHaveLength(0);
  expect(await processor.charge(card({ orderId: request.orderId }), call())).toMatchObject({ status: 'succeeded' });
});

test.each([-10, 10])(
  'with Stripe’s clock %i minutes ahead a lost database finds what was charged by time',
  async (minutes) => {
    skewMs = minutes * 60_000;
    const at = clock.now().toISOString();
    // The order is days old: its id says nothing of when it was paid.
    const paymentId = newId('payment', clock.nowMs() - 3 * 86_400_000);
    const request = card({ paymentId, firstSent: { from: at, to: at } });
    const charged = await processor.charge(request, call());
    await query(own.url, 'delete from stripe_customers');
    clock.advance(3_600_000);
    expect(await processor.lookUp({ call: 'charge', request }, call())).toEqual(charged);
  },
);

test('a renewal that was found in the list is looked up there: a restored database knows another card than the one charged', async () => {
  const [first, second] = [await processor.charge(card(), call()), await processor.charge(card(), call())];
  const [before, charged] = [first, second].map((one) => (one.status === 'succeeded' ? one.savedMethod : undefined));
  if (before === undefined || charged === undefined) throw new Error('expected saved cards');
  const request = { ...card(), savedMethod: charged };
  const renewed = await processor.chargeSaved(request, call());
  if (renewed.status !== 'succeeded') throw new Error('expected success');
  const lookUp = (reference?: string) =>
    processor.lookUp(
      { call: 'chargeSaved', request: { ...request, savedMethod: before, ...(reference && { reference }) } },
      call(),
    );
  expect(await lookUp(renewed.reference)).toMatchObject({ status: 'succeeded', reference: renewed.reference });
  expect(await lookUp()).toBeNull();
});

test('a customer deleted at Stripe is replaced, and an address that Stripe does not take is left out', async () => {
  const request = card({ customerEmail: 'ada@localhost' });
  await query(own.url, 'insert into stripe_customers values ($1, false, $2, $3)', [
    accountId,
    request.orderId,
    'cus_gone',
  ]);
  expect(await processor.charge(request, call())).toMatchObject({ status: 'succeeded' });
  const kept = 'select customer from stripe_customers where order_id = $1';
  expect(await query(own.url, kept, [request.orderId])).toEqual([{ customer: intents()[0]?.customer }]);
});

test('a payment whose customer was replaced keeps its key: what arrives late of it charges nothing anew', async () => {
  const request = card();
  await processor.charge(card({ orderId: request.orderId, paymentMethod: 'pm_card_chargeDeclined' }), call());
  stripe.booksOf(liveKey).deleteCustomer(intents()[0]?.customer ?? '');
  const arrived = Promise.withResolvers<void>();
  // The sending with the new customer, after the one that Stripe refuses for the old one.
  const isReplaced = (sent: StripeRequest): boolean => {
    const matches = isCharge(sent) && sent.idempotencyKey !== request.paymentId;
    if (matches) arrived.resolve();
    return matches;
  };
  stripe.fail(isReplaced, 'late');
  const gaveUp = new AbortController();
  const first = processor.charge(request, call({ signal: gaveUp.signal }));
  const failed = expect(first).rejects.toThrow();
  await arrived.promise;
  gaveUp.abort();
  await failed;
  expect(await processor.charge(request, call())).toMatchObject({ status: 'succeeded' });
  await stripe.deliverLate();
  expect(intents().filter(({ status }) => status === 'succeeded')).toHaveLength(1);
});

test('a later payment has its own key whatever customer the order has: sent anew from a restored database it charges nothing anew', async () => {
  const { orderId } = card();
  await processor.charge(card({ orderId, paymentMethod: 'pm_card_chargeDeclined' }), call());
  const backup = await query<{ customer: string }>(
    own.url,
    'select customer from stripe_customers where order_id = $1',
    [orderId],
  );
  const [{ customer } = { customer: '' }] = backup;
  stripe.booksOf(liveKey).deleteCustomer(customer);
  await processor.charge(card({ orderId, paymentMethod: 'pm_card_chargeDeclined' }), call());
  const later = card({ orderId });
  expect(await processor.charge(later, call())).toMatchObject({ status: 'succeeded' });
  await query(own.url, `update stripe_customers set customer = $1, refused = '{}' where order_id = $2`, [
    customer,
    orderId,
  ]);
  await expect(processor.charge(later, call())).rejects.toThrow('same parameters');
  expect(intents().filter(({ status }) => status === 'succeeded')).toHaveLength(1);
});

test('a confirmation token is used once; used, unknown and foreign ones are a definite no', async () => {
  const paymentMethod = 'ctoken_card_visa';
  expect(await processor.charge(card({ paymentMethod }), call())).toMatchObject({ status: 'succeeded' });
  const no = { status: 'declined', kind: 'hard', reason: 'invalid_payment_method' };
  for (const token of ['sim_ok', 'pm_of_nobody']) {
    expect(await processor.charge(card({ paymentMethod: token }), call())).toMatchObject(no);
  }
  // Made with a publishable key of another account, one of the other mode seems the same.
  for (const token of [paymentMethod, 'ctoken_expired']) {
    const message = expect.stringContaining('publishable key is of another Stripe account or mode');
    expect(await processor.charge(card({ paymentMethod: token }), call())).toMatchObject({ ...no, message });
  }
  expect(intents()).toHaveLength(1);
});

test('what is too small, or in a currency that Stripe has not, is a definite no', async () => {
  const small = { status: 'declined', kind: 'soft', reason: 'amount_too_small' };
  expect(await processor.charge(card({ amountCents: 1 }), call())).toMatchObject(small);
  const dinars = { status: 'declined', reason: 'currency_not_supported' };
  expect(await processor.charge(card({ currency: 'iqd' }), call())).toMatchObject(dinars);
  expect(await processor.charge(card({ currency: 'isk', amountCents: 1_500 }), call())).toMatchObject({
    status: 'succeeded',
  });
  expect(intents().map(({ amount }) => amount)).toEqual([150_000]);
});

test('a card is saved only where it is wanted', async () => {
  const once = await processor.charge(card({ savesCard: false }), call());
  expect(once).toEqual({ status: 'succeeded', reference: expect.any(String), lastFour: '4242' });
  expect(intents()[0]).toMatchObject({ setup_future_usage: null, customer: expect.any(String) });
});

test('a bank that only Stripe’s script can show, or that no buyer can come back from, is a decline', async () => {
  const paymentMethod = 'pm_card_authenticationRequired';
  const no = { status: 'declined', kind: 'soft', reason: 'authentication_required' };
  expect(await processor.charge(card({ paymentMethod, returnUrl: null }), call())).toMatchObject(no);
  expect(await processor.saveMethod(card({ paymentMethod, returnUrl: null, amountCents: 0 }), call())).toMatchObject(
    no,
  );
  expect(intents().map(({ status }) => status)).toEqual(['requires_payment_method']);
});

test('a look-up says no only of what cannot succeed any more', async () => {
  const request = card({ paymentMethod: 'pm_standin_refuses' });
  const requested = await processor.charge(request, call());
  await fetch(waiting(requested).url, { redirect: 'manual' });
  expect(intents()[0]?.status).toBe('requires_payment_method');
  expect(await processor.lookUp({ call: 'charge', request }, call())).toMatchObject({ status: 'declined' });
  expect(intents()[0]?.status).toBe('canceled');
});

test('a look-up of a saved card’s charge ends what its buyer refused, also where a backup has lost that they were there', async () => {
  const first = await processor.charge(card({ paymentMethod: 'pm_standin_later_refuses' }), call());
  const savedMethod = (first.status === 'succeeded' && first.savedMethod) || '';
  const request = { ...card(), savedMethod };
  const there = { ...request, confirmation: { returnUrl: 'https://shop.example/' } };
  await fetch(waiting(await processor.chargeSaved(there, call())).url, { redirect: 'manual' });
  expect(intents()[1]?.status).toBe('requires_payment_method');
  expect(await processor.lookUp({ call: 'chargeSaved', request }, call())).toMatchObject({ status: 'declined' });
  expect(intents()[1]?.status).toBe('canceled');
});

test.each(['charge', 'authorize', 'saveMethod'] as const)(
  '%s: a bank that Stripe’s script alone can show is shown where the page runs it, and else the payment ends',
  async (name) => {
    const amountCents = name === 'saveMethod' ? 0 : 4_900;
    const paymentMethod = 'pm_standin_script';
    const without = await processor[name](card({ paymentMethod, amountCents }), call());
    expect(without).toMatchObject({ status: 'declined', reason: 'authentication_required' });
    for (const returnUrl of ['https://shop.example/', null]) {
      const request = card({ paymentMethod, amountCents, returnUrl, confirmsByScript: true });
      const requested = await processor[name](request, call());
      expect(requested).toEqual({ status: 'requires_action', reference: expect.any(String), url: null });
      const { reference } = requested as { reference: string };
      expect(await processor.lookUp({ call: name, request }, call())).toEqual(requested);
      const secret = await processor.clientSecret?.(reference, call());
      expect(secret).toMatch(new RegExp(`^${reference}_secret_`));
      stripe.buyerDecides(secret ?? '');
      expect(await processor.clientSecret?.(reference, call())).toBeNull();
      expect(await processor.lookUp({ call: name, request }, call())).toMatchObject({ status: 'succeeded', reference });
    }
    const states = [...intents(), ...stripe.booksOf(liveKey).all<SetupIntent>('setup_intent')];
    expect(states[0]?.status).toBe('canceled');
  },
);

test.each(['charge', 'authorize', 'saveMethod'] as const)(
  '%s: a page that runs Stripe’s script shows the bank itself, and the bank’s page is the way of the others',
  async (name) => {
    const amountCents = name === 'saveMethod' ? 0 : 4_900;
    const of = { paymentMethod: 'pm_card_authenticationRequired', amountCents, returnUrl: 'https://shop.example/' };
    const byScript = await processor[name](card({ ...of, confirmsByScript: true }), call());
    expect(byScript).toEqual({ status: 'requires_action', reference: expect.any(String), url: null });
    const byPage = await processor[name](card(of), call());
    expect(byPage).toMatchObject({ status: 'requires_action', url: expect.stringContaining('/authenticate/') });
    const sent = stripe.requests.filter(({ parameters }) => 'use_stripe_sdk' in parameters);
    expect(sent.map(({ parameters: { return_url, use_stripe_sdk } }) => ({ return_url, use_stripe_sdk }))).toEqual([
      { return_url: 'https://shop.example/', use_stripe_sdk: true },
      { return_url: 'https://shop.example/', use_stripe_sdk: false },
    ]);
  },
);

test.each([
  ['pm_standin_apple_pay', { lastFour: '1234', wallet: 'apple_pay' }],
  ['pm_standin_google_pay', { lastFour: '5678', wallet: 'google_pay' }],
  ['pm_card_visa', { lastFour: '4242' }],
] as const)(
  '%s: the card is known with the wallet that gave it, charged, saved and looked up',
  async (paymentMethod, shown) => {
    const charged = card({ paymentMethod });
    const outcome = await processor.charge(charged, call());
    expect(outcome).toEqual({
      status: 'succeeded',
      reference: expect.any(String),
      savedMethod: expect.any(String),
      ...shown,
    });
    expect(await processor.lookUp({ call: 'charge', request: charged }, call())).toEqual(outcome);
    const saved = card({ paymentMethod, amountCents: 0 });
    expect(await processor.saveMethod(saved, call())).toMatchObject(shown);
    expect(await processor.lookUp({ call: 'saveMethod', request: saved }, call())).toMatchObject(shown);
  },
);

test('the client secret of what is not the account’s is not given', async () => {
  const request = card({ paymentMethod: 'pm_standin_script', confirmsByScript: true });
  const { reference } = (await processor.charge(request, call())) as { reference: string };
  const other = call({ accountId: newId('account', clock.nowMs()) });
  await expect(processor.clientSecret?.(reference, other)).rejects.toThrow('no such payment of this account');
});

test('no error has a client secret, a card or an address of a bank', async () => {
  stripe.fail(isCharge, 'error_after');
  const request = card({ paymentMethod: 'pm_card_authenticationRequired' });
  const err: unknown = await processor.charge(request, call()).catch((caught: unknown) => caught);
  expect(err).toBeInstanceOf(Error);
  expect(JSON.stringify(err, Object.getOwnPropertyNames(err))).not.toMatch(/_secret_|pm_|authenticate/);
});

test('the list has nothing of the same Stripe account that is not ours, and what was done to ours there', async () => {
  const other = newId('account', clock.nowMs());
  await processor.charge(card(), call({ accountId: other }));
  const books = stripe.booksOf(liveKey);
  books.pay({ amount: 900, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'automatic' }, () => '');
  const hold = await processor.authorize(card(), call());
  const charge = await processor.charge(card(), call());
  if (hold.status !== 'succeeded' || charge.status !== 'succeeded') throw new Error('expected success');
  clock.advance(1_000);
  const [held, charged] = [hold, charge].map(({ reference }) =>
    books.find<PaymentIntent>('payment_intent', reference, ''),
  );
  books.refund({ payment_intent: charged?.id, amount: 900 });
  clock.advance(1_000);
  books.cancel(held as PaymentIntent, 'requested_by_customer');
  expect(
    (await list()).map(({ kind, paymentId, about, amountCents }) => [kind, paymentId === null, about, amountCents]),
  ).toEqual([
    ['hold', false, null, 4_900],
    ['charge', false, null, 4_900],
    ['refund', true, charge.reference, 900],
    ['release', true, hold.reference, 4_900],
  ]);
});

test.each([
  ['a text that no row could hold', { funnelry_payment: 'pmt_\u0000' }, []],
  ['a key of another system', { funnelry_payment: 'order-17' }, []],
  ['an order that no row could hold', { funnelry_order: '\ud800' }, [null]],
  ['an order longer than any id', { funnelry_order: 'o'.repeat(500) }, [null]],
])('of what others wrote under our names the list has no more than can be ours: %s', async (_, written, orders) => {
  const [ours, paymentId] = [card(), newId('payment', clock.nowMs())];
  await processor.charge(ours, call());
  clock.advance(1_000);
  const metadata = { funnelry_account: accountId, funnelry_payment: paymentId, funnelry_call: 'charge', ...written };
  const parameters = { amount: 900, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'automatic' };
  stripe.booksOf(liveKey).pay({ ...parameters, metadata }, () => '');
  expect((await list()).map(({ orderId }) => orderId)).toEqual([ours.orderId, ...orders]);
});

test('holds of others that are canceled cost the list no call', async () => {
  const books = stripe.booksOf(liveKey);
  const parameters = { amount: 900, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'manual' };
  for (let made = 0; made < 5; made += 1) {
    books.pay({ ...parameters, metadata: made % 2 === 0 ? {} : { funnelry_account: 'acc_other' } }, () => '');
    books.cancel(intents().at(-1) as PaymentIntent, 'requested_by_customer');
  }
  const own = card();
  const hold = await processor.authorize(own, call());
  if (hold.status !== 'succeeded') throw new Error('expected success');
  books.cancel(intents().at(-1) as PaymentIntent, null);
  stripe.requests.length = 0;
  const records = await list();
  expect(records.map(({ kind, orderId, about }) => [kind, orderId, about])).toEqual([
    ['hold', own.orderId, null],
    ['release', own.orderId, hold.reference],
  ]);
  expect(records[1]).toMatchObject({ amountCents: 4_900, currency: 'usd' });
  expect(stripe.requests.filter(({ path }) => path.startsWith('/v1/payment_intents/'))).toEqual([]);
});

test('a refund that waits for the seller’s balance is taken', async () => {
  const charge = await processor.charge(card({ paymentMethod: 'pm_card_pendingRefund' }), call());
  if (charge.status !== 'succeeded') throw new Error('expected success');
  const { reference } = charge;
  const request = { paymentId: newId('payment', clock.nowMs()), reference, amountCents: 4_900, currency: 'usd' };
  const taken = await processor.refund(request, call());
  expect(taken).toMatchObject({ status: 'succeeded' });
  expect(await processor.lookUp({ call: 'refund', request }, call())).toEqual(taken);
});

test('a list of thousands is read in portions, each record once and in order', async () => {
  const books = stripe.booksOf(liveKey);
  const metadata = (paymentId: string) => ({
    ...{ funnelry_account: accountId, funnelry_payment: paymentId, funnelry_call: 'charge', funnelry_order: 'ord_1' },
  });
  const parameters = { amount: 900, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'automatic' };
  for (let made = 0; made < 2_500; made += 1) {
    if (made % 25 === 0) clock.advance(1_000);
    books.pay({ ...parameters, metadata: metadata(newId('payment', clock.nowMs())) }, () => '');
  }
  const records = await list();
  expect(new Set(records.map(({ paymentId }) => paymentId)).size).toBe(2_500);
  expect(records).toHaveLength(2_500);
  const times = records.map(({ recordedAt }) => recordedAt.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('each list of a day is read by one request, whatever the milliseconds at which the day begins', async () => {
  const from = new Date(clock.nowMs() + 123);
  const listed: unknown[] = [];
  for await (const record of processor.list(from, new Date(from.getTime() + 86_400_000), call())) listed.push(record);
  const paths = stripe.requests.map(({ path }) => path);
  expect(listed).toEqual([]);
  expect(paths).toHaveLength(6);
  expect(new Set(paths).size).toBe(6);
});

test('what was made with a key of another Stripe account is found, refunded, released and listed with that key', async () => {
  const earlier = 'sk_live_earlier';
  stripe.accept(earlier, 'acct_earlier');
  const [request, held] = [card(), card()];
  const before = call({ secretKey: earlier });
  const [charge, hold] = [await processor.charge(request, before), await processor.authorize(held, before)];
  if (charge.status !== 'succeeded' || hold.status !== 'succeeded') throw new Error('expected success');
  clock.advance(1_000);
  const now = card({ orderId: request.orderId });
  expect(await processor.charge(now, call())).toMatchObject({ status: 'succeeded' });
  const both = call({ earlierKeys: [earlier] });
  expect(await processor.lookUp({ call: 'charge', request }, both)).toMatchObject({ reference: charge.reference });
  expect(await processor.lookUp({ call: 'charge', request: card() }, both)).toBeNull();
  const about = ({ reference }: { reference: string }) => ({
    ...{ paymentId: newId('payment', clock.nowMs()), reference, amountCents: 4_900, currency: 'usd' },
  });
  expect(await processor.refund(about(charge), both)).toMatchObject({ status: 'succeeded' });
  expect(await processor.release(about(hold), both)).toMatchObject({ status: 'succeeded' });
  await expect(processor.refund(about(charge), call())).rejects.toThrow('resource_missing');
  const listed: unknown[] = [];
  for await (const record of processor.list(new Date(begin), new Date(clock.nowMs() + 1_000), both)) {
    listed.push([record.kind, record.paymentId]);
  }
  expect(listed.slice(0, 3)).toEqual([
    ['charge', request.paymentId],
    ['hold', held.paymentId],
    ['charge', now.paymentId],
  ]);
  expect(listed).toHaveLength(5);
});

test('of a Stripe account that the seller left, a revoked key ends neither look-ups nor lists at the current one', async () => {
  const left = 'sk_live_left';
  stripe.accept(left, 'acct_left');
  const request = card();
  const there = await processor.charge(request, call({ secretKey: left }));
  if (there.status !== 'succeeded') throw new Error('expected success');
  stripe.revoke(left);
  const both = call({ earlierKeys: [left] });
  const now = card();
  const here = await processor.charge(now, both);
  expect(here).toMatchObject({ status: 'succeeded' });
  expect(await processor.lookUp({ call: 'charge', request: now }, both)).toEqual(here);
  expect(await processor.lookUp({ call: 'charge', request: card() }, both)).toBeNull();
  const listed: unknown[] = [];
  for await (const { paymentId } of processor.list(new Date(begin), new Date(clock.nowMs() + 1_000), both)) {
    listed.push(paymentId);
  }
  expect(listed).toEqual([now.paymentId]);
  const { reference } = there;
  const refund = { paymentId: newId('payment', clock.nowMs()), reference, amountCents: 4_900, currency: 'usd' };
  // It is not the current key that is refused: that would end the account's run.
  expect(await processor.refund(refund, both)).toMatchObject({ status: 'not_done', why: 'no_connection' });
  await expect(processor.lookUp({ call: 'refund', request: refund }, both)).rejects.toMatchObject({
    why: 'no_connection',
  });
  stripe.revoke(liveKey);
  expect(await processor.charge(card(), both)).toMatchObject({ status: 'not_done', why: 'key_refused' });
});
