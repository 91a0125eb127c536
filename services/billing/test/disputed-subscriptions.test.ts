import { newAccountSettings } from '@app/contracts/accounts';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { listOrderDisputes } from '../src/disputes/dispute-rows.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import type { ProcessorDispute } from '../src/processors/port.ts';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { putPaymentMethod } from './new-cards.ts';
import { dayMs, newAccount } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { beginPaidLife, readSubscription, subscribe } from './subscriptions-of-tests.ts';

/** Guarantee: nobody is charged again while the bank disputes a payment for the same subscription, nor after it is lost. */
openReplicas();

const at = (time: string): void => replicas.clock.set(new Date(time));

/** A monthly subscription of 31 January at noon, whose order was paid in the checkout. */
async function begin(fields: Parameters<typeof beginPaidLife>[1] = {}) {
  at('2026-01-31T12:00:00.000Z');
  return await beginPaidLife(replicas, fields);
}
type Life = Awaited<ReturnType<typeof begin>>;

const read = ({ account, id }: Life) => getSubscription(replicas, account, id);
const charged = async ({ account, orderId }: Life) =>
  (await replicas.money(account, orderId)).renewals.length + (await replicas.money(account, orderId)).charges.length;

interface Disputing {
  readonly reference?: string;
  /** The charge, counted from the first one of the order; its renewals follow. */
  readonly of?: number;
  readonly amountCents?: number;
}

/** The bank disputes a charge, or its dispute goes on: as the processor shows it. */
async function dispute(
  { account, orderId, replica }: Life,
  status: ProcessorDispute['status'],
  { reference = 'du_1', of = 0, amountCents }: Disputing = {},
): Promise<void> {
  const { charges, renewals } = await replicas.money(account, orderId);
  const charge = [...charges, ...renewals][of];
  if (charge === undefined) throw new Error('no such charge');
  const scope = { accountId: account, processor: 'simulated', test: false };
  const shown = {
    ...{
      reference,
      paymentId: charge.id,
      orderId,
      about: charge.reference,
      currency: 'usd',
      reason: 'fraudulent',
      status,
    },
    ...{
      refundable: status.startsWith('warning'),
      evidenceDueBy: null,
      openedAt: new Date('2026-02-01T12:00:00.000Z'),
    },
    ...{ amountCents: amountCents ?? charge.amountCents, takenCents: 0 },
  };
  expect(await recordDispute(replica.deps, scope, shown)).toBe(true);
}

const ends = async ({ account }: Pick<Life, 'account'>) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.subscription.canceled.v1')
    .map(({ data: { reason, sendWebhook, statusBefore } }) => [reason, sendWebhook, statusBefore]);

test.each([
  ['dispute', 'needs_response', 'won'],
  ['inquiry', 'warning_needs_response', 'warning_closed'],
  ['dispute that is prevented', 'under_review', 'prevented'],
] as const)(
  'no renewal is charged during an open %s of the first payment, and its time is not billed afterwards',
  async (_, open, ended) => {
    const life = await begin();
    at('2026-02-20T08:00:00.000Z');
    await dispute(life, open);
    for (const day of ['2026-02-28T12:00:00.000Z', '2026-03-31T12:00:00.000Z', '2026-04-15T12:00:00.000Z']) {
      at(day);
      expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
    }
    at('2026-05-10T09:00:00.000Z');
    await dispute(life, ended);
    expect(await read(life)).toMatchObject({ status: 'active', next_charge_at: '2026-05-10T09:00:00.000Z' });
    for (const [day, count] of [
      ['2026-05-10T10:00:00.000Z', 1],
      ['2026-05-11T10:00:00.000Z', 0],
      ['2026-06-10T09:00:00.000Z', 1],
    ] as const) {
      at(day);
      expect([day, (await life.replica.renew(life.account)).charged]).toEqual([day, count]);
    }
    const periods = (await read(life)).periods.map(({ period, starts_at, ends_at }) => [period, starts_at, ends_at]);
    expect(periods.slice(0, 2)).toEqual([
      [3, '2026-06-10T09:00:00.000Z', '2026-07-10T09:00:00.000Z'],
      [2, '2026-05-10T09:00:00.000Z', '2026-06-10T09:00:00.000Z'],
    ]);
    expect(replicas.errors).toEqual([]);
  },
);

test('a dispute that ends before the next charge is due moves no date, and one of two leaves the charges waiting', async () => {
  const life = await begin();
  await dispute(life, 'needs_response');
  await dispute(life, 'needs_response', { reference: 'du_2', amountCents: 100 });
  at('2026-02-10T08:00:00.000Z');
  await dispute(life, 'won');
  const due = { next_charge_at: '2026-02-28T12:00:00.000Z', current_period_end: '2026-02-28T12:00:00.000Z' };
  expect(await read(life)).toMatchObject(due);
  at('2026-03-05T08:00:00.000Z');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  expect(await read(life)).toMatchObject(due);
  await dispute(life, 'won', { reference: 'du_2', amountCents: 100 });
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
});

test('what is past due stays so with its attempts during the dispute of a renewal, and a card that is given meanwhile waits', async () => {
  const life = await begin({ paymentMethod: 'sim_ok' });
  at('2026-02-28T12:00:00.000Z');
  await life.replica.renew(life.account);
  const put = (card: string) => putPaymentMethod(life.replica.deps, commandOf(life.account), life.id, card);
  await put('sim_renewal_insufficient_funds');
  at('2026-03-31T12:00:00.000Z');
  await life.replica.renew(life.account);
  expect(await read(life)).toMatchObject({ status: 'past_due', failed_tries: 1 });
  await dispute(life, 'needs_response', { of: 1 });
  at('2026-04-20T12:00:00.000Z');
  await life.replica.renew(life.account);
  await put('sim_ok');
  await life.replica.renew(life.account);
  expect(await charged(life)).toBe(2);
  await dispute(life, 'won', { of: 1 });
  expect(await read(life)).toMatchObject({
    ...{ status: 'past_due', failed_tries: 1, next_charge_at: '2026-04-20T12:00:00.000Z' },
  });
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1, retried: 1 });
  expect(await read(life)).toMatchObject({ status: 'active', current_period_end: '2026-05-20T12:00:00.000Z' });
});

test('without webhooks a dispute is found before the run charges what is due', async () => {
  const life = await begin({ paymentMethod: 'sim_disputed' });
  at('2026-02-28T12:00:00.000Z');
  await life.replica.daily(life.account);
  expect(await charged(life)).toBe(1);
  expect(await ends(life)).toEqual([['dispute', false, 'active']]);
});

test('a subscription that is resumed during a dispute waits for its end', async () => {
  const life = await begin();
  const act = (action: typeof pauseSubscription) => action(life.replica.deps, commandOf(life.account), life.id);
  await act(pauseSubscription);
  await dispute(life, 'needs_response');
  at('2026-04-20T12:00:00.000Z');
  await act(resumeSubscription);
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  at('2026-04-25T12:00:00.000Z');
  await dispute(life, 'won');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
  expect(await read(life)).toMatchObject({ current_period_end: '2026-05-25T12:00:00.000Z' });
});

test('a renewal that the processor never got is not sent again during a dispute', async () => {
  const life = await begin();
  at('2026-02-28T12:00:00.000Z');
  life.replica.fail('request_lost');
  await life.replica.renew(life.account);
  await dispute(life, 'needs_response');
  replicas.clock.advance(dayMs);
  await life.replica.round();
  await life.replica.renew(life.account);
  expect(await charged(life)).toBe(1);
});

test.each([
  ['the first payment', 0, 4_900],
  ['a part of the first payment', 0, 100],
  ['a renewal', 1, 1_900],
] as const)(
  'a lost dispute of %s ends the subscription, which endpoints get under cancellation notices alone',
  async (_, of, amountCents) => {
    for (const cancellationNotices of [false, true]) {
      const life = await begin();
      const settings = { ...newAccountSettings, handle: 'shop', businessName: 'Shop', supportEmail: 'a@example.com' };
      await replicas.database.pool.query(
        'insert into account_settings (account_id, revision, settings) values ($1, 1, $2)',
        [life.account, JSON.stringify({ ...settings, cancellationNotices })],
      );
      at('2026-02-28T12:00:00.000Z');
      await life.replica.renew(life.account);
      await dispute(life, 'needs_response', { of, amountCents });
      await dispute(life, 'lost', { of, amountCents });
      await dispute(life, 'lost', { of, amountCents });
      expect(await ends(life)).toEqual([['dispute', cancellationNotices, 'active']]);
      at('2026-03-31T12:00:00.000Z');
      expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
      expect(await read(life)).toMatchObject({ status: 'canceled', canceled_at: '2026-02-28T12:00:00.000Z' });
    }
  },
);

/** An order whose card was held until its buyer decided on the upsell. */
async function settledHold(decision: 'accepted' | 'declined') {
  const [account, replica] = [newAccount(), replicas.start()];
  const caller = { accountId: account, requestId: 'r' };
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, caller, input);
  await settleHold(replica.deps, caller, input.orderId, decision);
  return { account, replica, caller, orderId: input.orderId };
}

test('a lost dispute says of which payment the money went back: of a renewal its subscription and period, of the order’s own payments neither', async () => {
  at('2026-01-31T12:00:00.000Z');
  const { account, replica, caller, orderId } = await settledHold('accepted');
  const { id } = await subscribe(replicas, account, { orderId, paymentMethod: null });
  at('2026-02-28T12:00:00.000Z');
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  const life = { account, replica, caller, id, orderId };
  const { charges, renewals } = await replicas.money(account, orderId);
  expect([...charges, ...renewals].map(({ amountCents }) => amountCents)).toEqual([4_900, 1_500, 1_900]);
  await dispute(life, 'lost', { of: 2, reference: 'du_renewal' });
  await dispute(life, 'lost', { of: 1, reference: 'du_upsell' });
  await dispute(life, 'lost', { of: 0, reference: 'du_capture' });
  const events = await replicas.events(account);
  const recorded = events
    .filter(({ subject }) => subject === 'evt.billing.dispute.recorded.v1')
    .map(({ data }) => data);
  const ofOrder = { subscriptionId: null, period: null };
  expect(recorded.filter(({ end }) => end !== null)).toMatchObject([
    {
      subscriptionId: id,
      givenBack: { refundId: 'du_renewal', subscriptionId: id, period: 2, amountCents: 1_900, chargedCents: 1_900 },
    },
    {
      subscriptionId: null,
      givenBack: { refundId: 'du_upsell', ...ofOrder, amountCents: 1_500, chargedCents: 1_500 },
    },
    {
      subscriptionId: null,
      givenBack: { refundId: 'du_capture', ...ofOrder, amountCents: 4_900, chargedCents: 4_900 },
    },
  ]);
  expect(await ends(life)).toHaveLength(1);
  const said = events
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => data.summary);
  expect(said.filter((text) => String(text).includes('is lost:'))).toEqual(
    Array(3).fill(expect.stringContaining('Where the order began a subscription, that has ended.')),
  );
});

test('a dispute that is lost before the order’s event comes ends the subscription as soon as it has begun', async () => {
  const { account, replica, caller, orderId } = await settledHold('declined');
  const life = { account, replica, caller, id: '', orderId };
  await dispute(life, 'lost', { amountCents: 100 });
  const { id } = await subscribe(replicas, account, { orderId, paymentMethod: null });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
  expect(await ends(life)).toEqual([['dispute', false, 'active']]);
});

test('a lost dispute that the bank reverses is won, also without webhooks, and the money is the seller’s again', async () => {
  const life = await begin();
  await dispute(life, 'needs_response');
  await dispute(life, 'lost');
  const { account, orderId } = life;
  const { charges } = await replicas.money(account, orderId);
  const reversed = { paymentId: charges[0]?.id ?? '', orderId, about: charges[0]?.reference ?? '' };
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      readDispute: async (reference) => ({
        ...reversed,
        ...{ reference, amountCents: 4_900, currency: 'usd', reason: 'fraudulent', status: 'won' as const },
        ...{ refundable: false, evidenceDueBy: null, openedAt: replicas.clock.now(), takenCents: 0 },
      }),
    }),
  });
  replicas.clock.advance(40 * dayMs);
  await replica.daily(account);
  await replica.daily(account);
  expect((await replicas.money(account, orderId)).charges).toMatchObject([{ lostCents: 0, refundedCents: 0 }]);
  expect(await listOrderDisputes(replica.deps.database, account, orderId, 10)).toMatchObject([
    { status: 'won', outcome: 'won' },
  ]);
  const recorded = (await replicas.events(account)).filter(({ subject }) => subject.includes('dispute.recorded'));
  expect(recorded.at(-1)?.data).toMatchObject({
    ...{ end: { outcome: 'won' }, givenBack: null, takenBack: { amountCents: 4_900 } },
  });
  expect(recorded).toHaveLength(3);
  const said = (await replicas.events(account)).filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1');
  expect(said.at(-1)?.data.summary).toContain('has reversed the lost dispute');
  // Its end is final.
  expect(await read(life)).toMatchObject({ status: 'canceled' });
});
