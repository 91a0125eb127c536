import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { continuePayment, startPayment } from '@app/contracts/payments';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { openDatabase } from '@app/service-kit/database';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import { answersRecorded, processorEventHandled } from '../../src/points/points.ts';
import { claimEvents } from '../../src/processor-events/event-rows.ts';
import { startInput } from '../payment-samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { event as eventOf, type PaymentIntent, type StripeEvent } from '../stripe/objects.ts';
import { type SentEvent, signedBytes, signedEvent } from '../stripe/sent-events.ts';

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 3_000 });

interface Seller {
  readonly account: string;
  readonly key: string;
  readonly secret: string;
}

let sellers = 0;
/** A seller with a Stripe account of their own, whose endpoint they made by hand. */
async function newSeller(mode: 'live' | 'test' = 'live', over: Partial<Seller> = {}): Promise<Seller> {
  sellers += 1;
  const account = over.account ?? newId('account', harness.clock.nowMs());
  const [key, secret] = [over.key ?? `sk_${mode}_s${sellers}`, over.secret ?? `whsec_s${sellers}`];
  stripe.accept(key, `acct_s${sellers}`);
  const pair = { secretKey: key, publishableKey: `pk_${mode}_s${sellers}`, webhookSecret: secret };
  await harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'stripe', [mode]: pair } },
    commandOf(account),
  );
  return { account, key, secret };
}

async function receive(account: string, { body, signature }: SentEvent): Promise<boolean> {
  const input = { processor: 'stripe', body: body.toString('base64'), signature } as const;
  return (await harness.requester.request(receiveProcessorEvent, input, commandOf(account))).accepted;
}
const handled = (event: StripeEvent, result: 'done' | 'later' = 'done') =>
  announced(processorEventHandled, (one) => one.eventId === event.id && one.result === result);
const stored = (account: string) =>
  query<{ event_id: string; attempts: number; done: boolean }>(
    harness.databaseUrl,
    'select event_id, attempts, done_at is not null as done from processor_events where account_id = $1',
    [account],
  );
const statusOf = async (account: string, orderId: string) => {
  const text = 'select status from payments where account_id = $1 and order_id = $2';
  return (await query<{ status: string }>(harness.databaseUrl, text, [account, orderId]))[0]?.status;
};

/** A buyer who has confirmed at their bank, and whose page never came back. */
async function confirmedPayment({ account, key }: Seller, test = false) {
  const input = startInput({
    ...{ paymentMethod: 'pm_card_authenticationRequired', returnUrl: 'https://shop.example/', test },
    orderId: newId('order', harness.clock.nowMs()),
  });
  const requested = await harness.requester.request(startPayment, input, commandOf(account));
  if (requested.status !== 'requires_action') throw new Error(`the payment is ${requested.status}`);
  await fetch(requested.action?.url ?? '', { redirect: 'manual' });
  return { orderId: input.orderId, paymentId: requested.paymentId, event: lastEvent(key) };
}
const factsOfEvents = (account: string) =>
  query<{ kind: string; cents: number; reference: string; order_id: string; payment_id: string }>(
    harness.databaseUrl,
    `select kind, amount_cents::int as cents, reference, order_id, payment_id from processor_facts
     where account_id = $1 and seen_by = 'webhook' order by position`,
    [account],
  );
const lastEvent = (key: string): StripeEvent => {
  const last = stripe.booksOf(key).all<StripeEvent>('event').at(-1);
  if (last === undefined) throw new Error('Stripe has no event');
  return { ...last, livemode: key.includes('_live_') } as StripeEvent;
};

test('an outcome is known as soon as its event is received; without one, a minute later', async () => {
  const seller = await newSeller();
  const { account, secret } = seller;
  const { orderId, event } = await confirmedPayment(seller);
  expect(event.type).toBe('payment_intent.succeeded');
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  await handled(event);
  expect(await statusOf(account, orderId)).toBe('succeeded');
  expect((await harness.publishedOf(account)).map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ orderId, status: 'succeeded' }),
  );
  const without = await confirmedPayment(seller);
  expect(await statusOf(account, without.orderId)).toBe('requires_action');
  const checks = `select extract(epoch from next_check_at - sent_at)::int as seconds from payments where order_id = $1`;
  expect(await query(harness.databaseUrl, checks, [without.orderId])).toEqual([{ seconds: 60 }]);
  harness.clock.advance(61_000);
  await announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(without.paymentId), 2);
  expect(await statusOf(account, without.orderId)).toBe('succeeded');
});

test.each([
  ['canceled', { status: 'lost', reason: 'released', capturedCents: 0 }],
  ['captured in part', { status: 'settled', capturedCents: 3000 }],
] as const)(
  'a hold that the seller %s in Stripe’s Dashboard ends as soon as its event is received',
  async (what, end) => {
    const seller = await newSeller();
    const hold = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 600 };
    const orderId = newId('order', harness.clock.nowMs());
    const input = startInput({ hold, orderId, paymentMethod: 'pm_card_visa' });
    expect(await harness.requester.request(startPayment, input, commandOf(seller.account))).toMatchObject({
      status: 'held',
    });
    const books = stripe.booksOf(seller.key);
    const intent = books.all<PaymentIntent>('payment_intent').at(-1) as PaymentIntent;
    if (what === 'canceled') books.cancel(intent, 'requested_by_customer');
    else books.capture(intent, 3000);
    const event = lastEvent(seller.key);
    await receive(seller.account, signedEvent(event, { secrets: [seller.secret] }));
    await handled(event);
    const settled = (await harness.publishedOf(seller.account)).filter(({ data }) => 'settledAt' in data);
    expect(settled.map(({ data }) => data)).toMatchObject([{ orderId, ...end }]);
  },
);

test('what is not signed for the account is not taken, whatever is wrong with it, and is stored nowhere', async () => {
  const [seller, other] = [await newSeller(), await newSeller()];
  const { event } = await confirmedPayment(seller);
  const { account, secret } = seller;
  const right = { secrets: [secret] };
  const { body, signature } = signedEvent(event, right);
  const refused: readonly [string, string, SentEvent][] = [
    ['another secret', account, signedEvent(event, { secrets: [other.secret] })],
    ['signed ten minutes ago', account, signedEvent(event, { ...right, atMs: Date.now() - 600_000 })],
    [
      'signed by a clock that is ten minutes ahead',
      account,
      signedEvent(event, { ...right, atMs: Date.now() + 600_000 }),
    ],
    ['another body', account, { body: Buffer.from(body.toString().replace('succeeded', 'canceled')), signature }],
    ['no signature', account, { body, signature: '' }],
    ['of another account', other.account, { body, signature }],
    ['of an account that there is not', newId('account', harness.clock.nowMs()), { body, signature }],
    ['of the other mode', account, signedEvent({ ...event, livemode: false } as StripeEvent, right)],
  ];
  for (const [what, to, sent] of refused) expect([what, await receive(to, sent)]).toEqual([what, false]);
  expect([...(await stored(account)), ...(await stored(other.account))]).toEqual([]);
});

test('what is signed and is no event, or about what nothing handles, is taken and not kept', async () => {
  const { account, secret } = await newSeller();
  const about = (object: object, type = 'x.y') => eventOf({ id: 'evt_x', created: 1, type, data: { object } });
  const others = [
    about({ id: 'bal_1', object: 'balance' }),
    about({ id: 'ch_1', object: 'charge' }, 'charge.refunded'),
    about({ id: 'ch_1', object: 'charge' }, 'refund.created'),
  ].map((one) => JSON.stringify(one));
  const bodies = ['', 'null', '{}', '[1]', 'no JSON', ...others];
  for (const body of bodies) {
    const taken = await receive(account, signedBytes(Buffer.from(body), { secrets: [secret] }));
    expect([body, taken]).toEqual([body, true]);
  }
  expect(await stored(account)).toEqual([]);
  const { stripe: keys } = await harness.requester.request(getPaymentProcessor, {}, commandOf(account));
  expect(keys?.live).toMatchObject({ webhooks: 'by_hand', last_event_at: expect.any(String) });
});

test('an event that comes twice, also at once, is stored and handled once; one that comes late changes nothing', async () => {
  const seller = await newSeller();
  const { account, key, secret } = seller;
  const { orderId, event } = await confirmedPayment(seller);
  const sent = signedEvent(event, { secrets: [secret] });
  expect(await Promise.all([1, 2, 3].map(() => receive(account, sent)))).toEqual([true, true, true]);
  await handled(event);
  expect(await receive(account, sent)).toBe(true);
  expect(await stored(account)).toEqual([{ event_id: event.id, attempts: 1, done: true }]);
  const requested = stripe.requests.length;
  const late = { ...event, id: `${event.id}late`, type: 'payment_intent.payment_failed' };
  expect(await receive(account, signedEvent(late, { secrets: [secret] }))).toBe(true);
  await handled(late);
  expect(await statusOf(account, orderId)).toBe('succeeded');
  expect(stripe.requests.length).toBe(requested);
  expect(stripe.booksOf(key).all('payment_intent')).toHaveLength(1);
});

test('other money of the same Stripe account is not looked up', async () => {
  const seller = await newSeller();
  const { account, secret } = seller;
  const { event } = await confirmedPayment(seller);
  const requested = stripe.requests.length;
  for (const [name, metadata] of [
    ['none', {}],
    ['strangers', { ...(event.data.object as { metadata?: object }).metadata, funnelry_account: 'acc_other' }],
    ['unknown', { funnelry_account: account, funnelry_payment: 'pmt_1', funnelry_call: 'charge' }],
  ] as const) {
    const object = { ...event.data.object, metadata };
    const one = { ...event, id: `${event.id}${name}`, data: { object } };
    expect(await receive(account, signedEvent(one, { secrets: [secret] }))).toBe(true);
    await handled(one);
  }
  expect(stripe.requests.length).toBe(requested);
});

test.each<[string, { readonly object?: object; readonly metadata?: object; readonly created?: number }]>([
  ['a payment with NUL', { metadata: { funnelry_payment: 'pmt_\u0000' } }],
  ['an order with NUL', { metadata: { funnelry_order: 'ord_\u0000' } }],
  ['half a character', { metadata: { funnelry_order: '\ud800' } }],
  ['a very long order', { metadata: { funnelry_order: 'o'.repeat(200_000) } }],
  ['a capture with NUL', { object: { capture_method: 'manual' }, metadata: { funnelry_capture: '\u0000' } }],
  ['a charge with NUL', { object: { capture_method: 'manual', latest_charge: 'ch_\u0000' } }],
  ['a currency with NUL', { object: { currency: 'u\u0000d' } }],
  ['a time that no row could hold', { created: 9e15 }],
])('a signed event fails no further for what no row could hold: %s', async (name, { object, metadata, created }) => {
  const seller = await newSeller();
  const { account, secret } = seller;
  const { event } = await confirmedPayment(seller);
  const about = event.data.object as { readonly metadata?: object };
  const changed = { ...about, ...object, metadata: { ...about.metadata, ...metadata } };
  const id = `${event.id}${name.replaceAll(' ', '')}`;
  const sent = { ...event, id, ...(created && { created }), data: { object: changed } } as unknown as StripeEvent;
  expect(await receive(account, signedEvent(sent, { secrets: [secret] }))).toBe(true);
  await handled(sent);
  expect(await stored(account)).toEqual([{ event_id: id, attempts: 1, done: true }]);
});

test('while a secret rotates both count, and a day later the new one alone; they are stored sealed', async () => {
  const seller = await newSeller();
  const { account, secret, key } = seller;
  const { event } = await confirmedPayment(seller);
  const pair = { secretKey: key, publishableKey: 'pk_live_x', webhookSecret: 'whsec_rotated' };
  const body = { processor: 'stripe', live: pair } as const;
  await harness.requester.request(putPaymentProcessor, { body }, commandOf(account));
  const by = (one: string) => receive(account, signedEvent(event, { secrets: [one] }));
  expect([await by(secret), await by('whsec_rotated')]).toEqual([true, true]);
  expect(await receive(account, signedEvent(event, { secrets: ['whsec_older', 'whsec_rotated'] }))).toBe(true);
  const later = `update processor_webhooks set earlier_until = earlier_until - interval '1 day' where account_id = $1`;
  await query(harness.databaseUrl, later, [account]);
  expect([await by(secret), await by('whsec_rotated')]).toEqual([false, true]);
  const text = `select w::text as row from processor_webhooks as w union all select c::text from commands as c`;
  const hex = Buffer.from('whsec_').toString('hex');
  const rows = await query<{ row: string }>(harness.databaseUrl, text);
  expect(rows.filter(({ row }) => row.includes('whsec_') || row.includes(hex))).toEqual([]);
});

test('events of a Stripe account that the keys were of before are taken still, and looked up there', async () => {
  const first = await newSeller();
  const { account, secret } = first;
  const { orderId, event } = await confirmedPayment(first);
  // The payment has an end, so that another Stripe account may be chosen; a restored backup has forgotten it.
  await harness.requester.request(continuePayment, { orderId }, commandOf(account));
  const second = await newSeller('live', { account });
  const undo = `update payments set status = 'sent', next_check_at = now() + interval '9 years', finished_at = null
    where account_id = $1 and order_id = $2`;
  await query(harness.databaseUrl, 'delete from charges where account_id = $1', [account]);
  await query(harness.databaseUrl, undo, [account, orderId]);
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  await handled(event);
  expect(await statusOf(account, orderId)).toBe('succeeded');
  expect(await receive(account, signedEvent(event, { secrets: [second.secret] }))).toBe(true);
});

test('rehearsals have keys, secrets and events of their own', async () => {
  const live = await newSeller();
  const rehearsal = await newSeller('test', { account: live.account });
  const { orderId, event } = await confirmedPayment(rehearsal, true);
  expect(await receive(live.account, signedEvent(event, { secrets: [live.secret] }))).toBe(false);
  expect(await receive(live.account, signedEvent(event, { secrets: [rehearsal.secret] }))).toBe(true);
  await handled(event);
  expect(await statusOf(live.account, orderId)).toBe('succeeded');
});

test('while Stripe does not answer the event waits, also over the death of who had it, and then its outcome is known', async () => {
  const seller = await newSeller();
  const { account, secret } = seller;
  const { orderId, paymentId, event } = await confirmedPayment(seller);
  stripe.disturb(({ method }) => (method === 'GET' ? 'rate_limited' : undefined));
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  await handled(event, 'later');
  stripe.mend();
  expect(await stored(account)).toEqual([{ event_id: event.id, attempts: 1, done: false }]);
  // What it tells is kept by then, and once, however often it comes.
  const fact = {
    kind: 'charge',
    cents: 4_900,
    reference: event.data.object.id,
    order_id: orderId,
    payment_id: paymentId,
  };
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  expect(await factsOfEvents(account)).toEqual([fact]);
  harness.clock.advance(6_000);
  await handled(event);
  expect(await statusOf(account, orderId)).toBe('succeeded');
});

test('two replicas that read at once each get other events, and a few of each account', async () => {
  const accounts = [1, 2, 3].map((n) => `acc_claimed${n}`);
  const insert = `insert into processor_events (account_id, processor, test, event_id, type, object_kind, object_id, payment_ids,
      received_at, next_attempt_at)
    select $1, 'stripe', false, 'evt_' || n, 't', 'setup_intent', 'seti_1', '{}', now(), '2099-01-01' from generate_series(1, 20) as n`;
  for (const account of accounts) await query(harness.databaseUrl, insert, [account]);
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  const [one, other] = await Promise.all([1, 2].map(() => claimEvents(database, new Date('2099-01-02T00:00:00Z'))));
  await database.close();
  const all = [...(one ?? []), ...(other ?? [])].map(({ account_id, event_id }) => `${account_id} ${event_id}`);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(15);
  await query(harness.databaseUrl, `delete from processor_events where account_id like 'acc_claimed%'`);
});

test('a success that its event tells while another payment of the order waits for its buyer is kept at once', async () => {
  const seller = await newSeller();
  const { account, key, secret } = seller;
  const isNew = ({ method, path, secretKey }: { method: string; path: string; secretKey?: string | undefined }) =>
    method === 'POST' && path === '/v1/payment_intents' && secretKey === key;
  const input = startInput({ orderId: newId('order', harness.clock.nowMs()), paymentMethod: 'pm_card_visa' });
  stripe.fail(isNew, 'late');
  const first = await harness.requester.request(startPayment, input, commandOf(account));
  harness.clock.advance(30_000);
  await announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(first.paymentId), 2);
  const begunAt = harness.clock.now().toISOString();
  const card = { paymentMethod: 'pm_card_authenticationRequired', returnUrl: 'https://shop.example/' };
  const second = await harness.requester.request(
    startPayment,
    { ...input, ...card, attemptNo: 2, begunAt },
    commandOf(account),
  );
  expect(second).toMatchObject({ status: 'requires_action', attemptNo: 2 });
  await stripe.deliverLate();
  const event = lastEvent(key);
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  await handled(event, 'later');
  expect(await factsOfEvents(account)).toMatchObject([
    { kind: 'charge', cents: 4_900, payment_id: first.paymentId, order_id: input.orderId },
  ]);
  expect(await query(harness.databaseUrl, 'select id from charges where account_id = $1', [account])).toEqual([]);
});

test('a hold, its capture and its release are told by their events under the references of the list', async () => {
  const seller = await newSeller();
  const { account, key, secret } = seller;
  const hold = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 600 };
  const books = stripe.booksOf(key);
  const orders: string[] = [];
  for (const end of ['capture', 'cancel'] as const) {
    const input = startInput({ hold, orderId: newId('order', harness.clock.nowMs()), paymentMethod: 'pm_card_visa' });
    orders.push(input.orderId);
    await harness.requester.request(startPayment, input, commandOf(account));
    const intent = books.all<PaymentIntent>('payment_intent').at(-1) as PaymentIntent;
    if (end === 'capture') books.capture(intent, 3_000);
    else books.cancel(intent, 'requested_by_customer');
    const event = lastEvent(key);
    expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
    await handled(event);
  }
  const [captured, canceled] = books.all<PaymentIntent>('payment_intent');
  expect(await factsOfEvents(account)).toMatchObject([
    { kind: 'capture', cents: 3_000, reference: `${captured?.id}/${captured?.latest_charge}`, order_id: orders[0] },
    { kind: 'release', cents: 4_900, reference: `${canceled?.id}/release`, order_id: orders[1] },
  ]);
});

test('a payment that Stripe makes after it was given up counts by its event, and a second one for the order goes back', async () => {
  const seller = await newSeller();
  const { account, key, secret } = seller;
  const isNew = ({ method, path, secretKey }: { method: string; path: string; secretKey?: string | undefined }) =>
    method === 'POST' && path === '/v1/payment_intents' && secretKey === key;
  const input = startInput({ orderId: newId('order', harness.clock.nowMs()), paymentMethod: 'pm_card_visa' });
  stripe.fail(isNew, 'late');
  const first = await harness.requester.request(startPayment, input, commandOf(account));
  expect(first).toMatchObject({ status: 'processing' });
  harness.clock.advance(30_000);
  // First that it is unknown, then that it is given up.
  await announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(first.paymentId), 2);
  expect(await statusOf(account, input.orderId)).toBe('declined');
  const again = { ...input, attemptNo: 2, begunAt: harness.clock.now().toISOString() };
  const second = await harness.requester.request(startPayment, again, commandOf(account));
  expect(second).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  await stripe.deliverLate();
  const event = lastEvent(key);
  expect([event.type, stripe.booksOf(key).all('refund')]).toEqual(['payment_intent.succeeded', []]);
  expect(await receive(account, signedEvent(event, { secrets: [secret] }))).toBe(true);
  await handled(event);
  const [reversal] = await query<{ id: string }>(
    harness.databaseUrl,
    `select id from payments where account_id = $1 and step = 'reversal'`,
    [account],
  );
  await announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(reversal?.id ?? ''));
  expect(stripe.booksOf(key).all('refund')).toMatchObject([{ amount: 4_900, status: 'succeeded' }]);
  const rows = await query<{ step: string; status: string; reason: string | null }>(
    harness.databaseUrl,
    'select step, status, decline_reason as reason from payments where account_id = $1 order by step, attempt_no',
    [account],
  );
  expect(rows).toEqual([
    { step: 'main', status: 'declined', reason: 'reversed' },
    { step: 'main', status: 'succeeded', reason: null },
    { step: 'reversal', status: 'succeeded', reason: null },
  ]);
});
