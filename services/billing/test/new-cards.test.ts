import { newIdSuffix } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { listPayments } from '../src/charging/list-payments.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { noCounts } from '../src/runs/daily-counts.rules.ts';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { takeRenewalCounts } from '../src/subscriptions/renewals/take-renewal-counts.ts';
import { cancelSubscription } from '../src/subscriptions/subscriptions.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { continuePaymentMethod, putPaymentMethod } from './new-cards.ts';
import { dayMs, hourMs, minuteMs, runOf } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { beginLife, type Life, readStory, readSubscription, subscribe } from './subscriptions-of-tests.ts';

/** Guarantee: a new card is saved without a charge, never two for a subscription, and nothing is charged to one that is not saved. */
openReplicas('2026-01-31T12:00:00.000Z');

const command = (): string => newIdSuffix(replicas.clock.nowMs());
const renewalDay = '2026-02-28T12:00:00.000Z';
const returnUrl = 'https://shop.example/p/shop';

async function begin(paymentMethod = 'sim_ok'): Promise<Life> {
  return await beginLife(replicas, { paymentMethod });
}

/** Its first renewal was declined on 28 February, and is tried again on 3 March. */
async function pastDue(): Promise<Life> {
  replicas.clock.set('2026-01-31T12:00:00.000Z');
  const life = await begin('sim_declined');
  replicas.clock.set(renewalDay);
  await life.replica.renew(life.account);
  return life;
}

type How = NonNullable<Parameters<typeof putPaymentMethod>[4]>;
const contextOf = ({ account }: Life, commandId = command()) => ({ accountId: account, requestId: 'r', commandId });
const put = (life: Life, card: string, how: How = {}, commandId = command()) =>
  putPaymentMethod(life.replica.deps, contextOf(life, commandId), life.id, card, how);
const goOn = (life: Life, how: How = {}) => continuePaymentMethod(life.replica.deps, contextOf(life), life.id, how);
const read = ({ account, id }: Life) => getSubscription(replicas, account, id);
const booked = async ({ account }: Life, kind: 'charge' | 'method') =>
  (await replicas.books(account)).filter((entry) => entry.kind === kind);
const story = async ({ account, id }: Life) => (await readStory(replicas, account, id)).map(({ event }) => event);
const declined = (code = 'card_declined') =>
  expect.objectContaining({
    code: 'card_declined',
    errors: [expect.objectContaining({ field: 'paymentMethod', code })],
  });

/** The card that renewals are charged to, and how it was saved: the processor's own entry of it. */
async function cardOf({ id }: Life) {
  const { rows } = await replicas.database.pool.query<{
    payment_method: string;
    last_four: string;
    payment_id: string;
  }>(
    `select s.payment_method, s.last_four, e.payment_id from subscriptions as s
     left join simulated_processor.entries as e on e.saved_method = s.payment_method where s.id = $1`,
    [id],
  );
  return rows[0];
}
const cardsOf = async ({ account, orderId }: Life) =>
  (await replicas.money(account, orderId)).payments.filter(({ step }) => step === 'card');

test('a card is saved without a charge, renewals go to it, and the books of both sides agree', async () => {
  const life = await begin();
  expect(await put(life, 'sim_refund_declined')).toMatchObject({
    status: 'active',
    last_four: '0701',
    next_charge_at: renewalDay,
    renewal_under_way: false,
    payment_method: { status: 'saved', url: null },
  });
  expect(await booked(life, 'method')).toMatchObject([{ status: 'succeeded', amountCents: 0, orderId: life.orderId }]);
  const { data } = await listPayments(replicas.database, life.account, {});
  expect(data).toMatchObject([{ step: 'card', status: 'succeeded', amount_cents: 0, last_four: '0701', next: null }]);
  replicas.clock.set(renewalDay);
  await life.replica.daily(life.account);
  replicas.clock.advance(dayMs);
  await life.replica.daily(life.account);
  expect(await read(life)).toMatchObject({ card_change: null, last_four: '0701' });
  expect(await booked(life, 'charge')).toMatchObject([{ status: 'succeeded', amountCents: 1900 }]);
  expect((await replicas.events(life.account)).filter(({ data: { code } }) => code === 'orphan')).toEqual([]);
});

test.each([
  ['sim_declined', 'card_declined'],
  ['sim_lost_card', 'card_declined'],
  ['no card at all', 'card_declined'],
])('a refused card (%s) changes nothing, and says so at its field', async (card, code) => {
  const life = await begin();
  await expect(put(life, card)).rejects.toEqual(declined(code));
  expect(await cardOf(life)).toMatchObject({ payment_method: 'sim_ok' });
  expect(await read(life)).toMatchObject({ card_change: { status: 'declined', url: null } });
  replicas.clock.advance(hourMs);
  expect(await read(life)).toMatchObject({ card_change: null });
  await expect(goOn(life)).rejects.toEqual(declined(code));
});

test('a repeated command saves no second card, whatever became of the first one', async () => {
  const life = await begin();
  const [saved, refused] = [command(), command()];
  const [first, again] = [
    await put(life, 'sim_hold_expires', {}, saved),
    await put(life, 'sim_hold_expires', {}, saved),
  ];
  expect(again).toEqual(first);
  for (let turn = 0; turn < 2; turn += 1)
    await expect(put(life, 'sim_declined', {}, refused)).rejects.toEqual(declined());
  expect(await booked(life, 'method')).toHaveLength(2);
  // The same card again is no new one.
  expect(await put(life, 'sim_hold_expires')).toEqual(first);
  expect(await booked(life, 'method')).toHaveLength(2);
});

test('a card that the bank asks about is saved once its buyer has confirmed it; until then the one before it is charged', async () => {
  const life = await begin();
  const requested = await put(life, 'sim_requires_action', { returnUrl });
  expect(requested.payment_method).toEqual({ status: 'requires_action', url: expect.stringContaining(returnUrl) });
  expect(await read(life)).toMatchObject({ card_change: requested.payment_method });
  replicas.clock.set(renewalDay);
  // The confirmation waits for a month here: what waits longer than a day is given up by the daily run, not by charges.
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
  expect(await cardOf(life)).toMatchObject({ payment_method: 'sim_ok' });
  expect(await goOn(life)).toMatchObject({ last_four: '3220', payment_method: { status: 'saved', url: null } });
  expect(await read(life)).toMatchObject({ card_change: null });
  replicas.clock.set('2026-03-31T12:00:00.000Z');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
});

test('a buyer who refuses at the bank, or does nothing for a day, keeps the card before it', async () => {
  const [refuses, leaves] = [await begin(), await begin()];
  await put(refuses, 'sim_action_refused', { returnUrl });
  await expect(goOn(refuses)).rejects.toEqual(declined());
  await put(leaves, 'sim_action_ignored', { returnUrl });
  expect(await goOn(leaves)).toMatchObject({ payment_method: { status: 'requires_action' } });
  for (const waitMs of [2 * minuteMs, hourMs, dayMs, dayMs]) {
    replicas.clock.advance(waitMs);
    await leaves.replica.round();
  }
  expect(await cardsOf(leaves)).toMatchObject([{ status: 'declined', declineReason: 'given_up' }]);
  expect(await read(leaves)).toMatchObject({ card_change: null });
  for (const life of [refuses, leaves]) expect(await cardOf(life)).toMatchObject({ payment_method: 'sim_ok' });
});

test('a buyer who has confirmed and never comes back has the card all the same', async () => {
  const life = await begin();
  await put(life, 'sim_requires_action', { returnUrl });
  replicas.clock.advance(2 * minuteMs);
  await life.replica.round();
  expect(await read(life)).toMatchObject({ card_change: null, last_four: '3220' });
});

test('a period that is past due is charged at once where that is requested, as the free attempt, once whatever runs beside it', async () => {
  const life = await pastDue();
  const other = replicas.start();
  const [changed] = await Promise.all([
    put(life, 'sim_ok', { chargeNow: true }),
    other.renew(life.account),
    other.daily(life.account),
  ]);
  expect(changed.payment_method.status).toBe('saved');
  await other.daily(life.account);
  expect(await read(life)).toMatchObject({ status: 'active', failed_tries: 0, last_four: '4242' });
  expect((await booked(life, 'charge')).map(({ status }) => status)).toEqual(['declined', 'succeeded']);
  expect(await story(life)).toEqual(['payment-failed', 'rebilled']);
});

test('alone the charge is in the answer, and in the result of the next run', async () => {
  const life = await pastDue();
  const counts = noCounts();
  await takeRenewalCounts(life.replica.deps, runOf(life.account, life.replica.deps), counts);
  expect(await put(life, 'sim_ok', { chargeNow: true })).toMatchObject({ status: 'active', failed_tries: 0 });
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1, retried: 1 });
  expect(await booked(life, 'charge')).toHaveLength(2);
});

test('a card whose buyer gave up before its row is not saved, and nothing is charged for one who gave up meanwhile; repeated they are', async () => {
  const life = await pastDue();
  const commandId = command();
  const give = (deadlineMs: number) =>
    putPaymentMethod(life.replica.deps, { ...contextOf(life, commandId), deadlineMs }, life.id, 'sim_ok', {
      chargeNow: true,
    });
  const unavailable = { code: 'service_unavailable' };
  await expect(give(Date.now())).rejects.toMatchObject(unavailable);
  expect(await cardsOf(life)).toEqual([]);
  await put(life, 'sim_ok', {}, commandId);
  await expect(give(Date.now())).rejects.toMatchObject(unavailable);
  expect([await cardsOf(life), await booked(life, 'charge')]).toMatchObject([[{ status: 'succeeded' }], [{}]]);
  expect(await give(Date.now() + 60_000)).toMatchObject({ status: 'active', payment_method: { status: 'saved' } });
  expect([await cardsOf(life), await booked(life, 'charge')]).toMatchObject([[{ status: 'succeeded' }], [{}, {}]]);
});

test('without that request, and for a card whose charge is declined, the dates of the dunning hold', async () => {
  const [seller, declines] = [await pastDue(), await pastDue()];
  expect(await put(seller, 'sim_ok')).toMatchObject({ status: 'past_due', next_charge_at: renewalDay });
  expect(await booked(seller, 'charge')).toHaveLength(1);
  expect(await put(declines, 'sim_renewal_declined', { chargeNow: true })).toMatchObject({
    status: 'past_due',
    failed_tries: 1,
    next_charge_at: '2026-03-03T00:00:00.000Z',
    payment_method: { status: 'saved' },
  });
  // An active one has nothing to charge.
  const active = await begin();
  await put(active, 'sim_hold_expires', { chargeNow: true });
  expect(await booked(active, 'charge')).toEqual([]);
});

test('a card that is given twice at once has one free attempt', async () => {
  const life = await pastDue();
  const [sent, answered] = [
    [0, 1].map(() => Promise.withResolvers<void>()),
    [0, 1].map(() => Promise.withResolvers<void>()),
  ];
  const tabs = [0, 1].map((tab) => {
    const processor = (inner: PaymentProcessor): PaymentProcessor => ({
      ...inner,
      saveMethod: async (...requested) => {
        sent[tab]?.resolve();
        await answered[tab]?.promise;
        return await inner.saveMethod(...requested);
      },
    });
    return { ...life, replica: replicas.start({ processor }) };
  });
  const given: Promise<unknown>[] = [];
  for (const [tab, of] of tabs.entries()) {
    given.push(put(of, 'sim_renewal_declined', { chargeNow: true }));
    await sent[tab]?.promise;
  }
  for (const [tab, done] of given.entries()) {
    answered[tab]?.resolve();
    await done;
  }
  expect((await cardsOf(life)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect((await booked(life, 'charge')).map(({ status }) => status)).toEqual(['declined', 'declined']);
  expect(await read(life)).toMatchObject({ failed_tries: 1, next_charge_at: '2026-03-03T00:00:00.000Z' });
});

test('after the bank the past-due period is charged at once too', async () => {
  const life = await pastDue();
  expect(await put(life, 'sim_requires_action', { returnUrl, chargeNow: true })).toMatchObject({
    status: 'past_due',
    payment_method: { status: 'requires_action' },
  });
  expect(await booked(life, 'charge')).toHaveLength(1);
  expect(await goOn(life, { chargeNow: true })).toMatchObject({
    status: 'active',
    payment_method: { status: 'saved' },
  });
});

test('where its own period is not due the processor’s list is not read, whatever else of the account is due', async () => {
  let reads = 0;
  const processor = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    list: (...requested) => {
      reads += 1;
      return inner.list(...requested);
    },
  });
  const life = { ...(await pastDue()), replica: replicas.start({ processor }) };
  await put(life, 'sim_renewal_declined', { chargeNow: true });
  expect(reads).toBeGreaterThan(0);
  reads = 0;
  const other = await subscribe(replicas, life.account, {});
  await replicas.database.pool.query('update subscriptions set next_charge_at = $2 where id = $1', [
    other.id,
    renewalDay,
  ]);
  expect(await goOn(life, { chargeNow: true })).toMatchObject({ status: 'past_due' });
  expect(reads).toBe(0);
});

test('while the processor shows a sale that is unknown here, a new card is saved and not charged', async () => {
  const life = await pastDue();
  await replicas.database.pool.query(
    `insert into processor_facts (account_id, processor, test, payment_id, reference, kind, amount_cents, currency, happened_at,
       seen_by, seen_at, lacked)
     values ($1, 'simulated', false, 'pmt_x', 'sim_x', 'charge', 100, 'usd', now(), 'list', now(), true)`,
    [life.account],
  );
  expect(await put(life, 'sim_ok', { chargeNow: true })).toMatchObject({
    status: 'past_due',
    next_charge_at: renewalDay,
    payment_method: { status: 'saved' },
  });
  expect(await booked(life, 'charge')).toHaveLength(1);
});

test('two tabs with two cards: the card that was given last stays, whichever is saved last', async () => {
  const life = await begin();
  await put(life, 'sim_requires_action', { returnUrl });
  await put(life, 'sim_refund_declined');
  replicas.clock.advance(2 * minuteMs);
  await life.replica.round();
  expect((await cardsOf(life)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(await cardOf(life)).toMatchObject({ last_four: '0701' });
  const tabs = [replicas.start(), replicas.start(), replicas.start()];
  const given = ['sim_ok', 'sim_refund_fails', 'sim_capture_fails'];
  await Promise.all(tabs.map((replica, tab) => put({ ...life, replica }, given[tab] ?? '')));
  const newest = (await cardsOf(life)).toSorted((a, b) => a.attemptNo - b.attemptNo).at(-1);
  expect(newest?.attemptNo).toBe(5);
  expect(await cardOf(life)).toMatchObject({ payment_id: newest?.id });
});

test('the card that is charged, given again while the answer to another one is missing, stays', async () => {
  const life = await begin();
  life.replica.fail('throws_after');
  expect(await put(life, 'sim_refund_declined')).toMatchObject({ payment_method: { status: 'processing' } });
  replicas.clock.advance(1);
  expect(await put(life, 'sim_ok')).toMatchObject({ payment_method: { status: 'saved' } });
  const given = await cardOf(life);
  replicas.clock.advance(hourMs);
  await life.replica.round();
  expect(await cardOf(life)).toEqual(given);
  expect((await cardsOf(life)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('a card is saved while a renewal is at the processor, and the renewal is recorded as it ends', async () => {
  const life = await begin();
  replicas.clock.set(renewalDay);
  life.replica.fail('answer_lost');
  await life.replica.renew(life.account);
  expect(await put(life, 'sim_refund_declined')).toMatchObject({
    renewal_under_way: true,
    last_four: '0701',
    payment_method: { status: 'saved' },
  });
  replicas.clock.advance(2 * minuteMs);
  await life.replica.round();
  expect(await read(life)).toMatchObject({
    status: 'active',
    last_four: '0701',
    current_period_end: '2026-03-31T12:00:00.000Z',
  });
  expect(await booked(life, 'charge')).toHaveLength(1);
});

test('a subscription that is canceled while its card waits at the bank stays canceled, on the card that it had', async () => {
  const life = await begin();
  await put(life, 'sim_requires_action', { returnUrl });
  await cancelSubscription(life.replica.deps, contextOf(life), life.id);
  expect(await goOn(life, { chargeNow: true })).toMatchObject({ status: 'canceled', next_charge_at: null });
  expect(await cardOf(life)).toMatchObject({ payment_method: 'sim_ok' });
  await expect(put(life, 'sim_hold_expires')).rejects.toMatchObject({ code: 'invalid_transition' });
});

test.each([
  ['request_lost', 'try_again_later'],
  ['not_done', 'try_again_later'],
] as const)('a card that did not reach the processor (%s) is not saved later', async (fault, code) => {
  const life = await begin();
  life.replica.fail(fault);
  const commandId = command();
  const outcome = put(life, 'sim_hold_expires', {}, commandId);
  if (fault === 'request_lost') expect(await outcome).toMatchObject({ payment_method: { status: 'processing' } });
  else await expect(outcome).rejects.toEqual(declined(code));
  replicas.clock.advance(5 * minuteMs);
  await life.replica.round();
  await expect(put(life, 'sim_hold_expires', {}, commandId)).rejects.toEqual(declined(code));
  await life.replica.processor.deliverLate();
  expect(await cardOf(life)).toMatchObject({ payment_method: 'sim_ok' });
  expect((await put(life, 'sim_hold_expires')).payment_method.status).toBe('saved');
});

test('a card that got lost on its way is saved once its buyer asks, and not again by the copy that arrives late', async () => {
  const life = await begin();
  life.replica.fail('late');
  expect(await put(life, 'sim_hold_expires')).toMatchObject({ payment_method: { status: 'processing' } });
  replicas.clock.advance(3_000);
  expect(await goOn(life)).toMatchObject({ payment_method: { status: 'saved' } });
  await life.replica.processor.deliverLate();
  expect(await booked(life, 'method')).toHaveLength(1);
});

test.each(['answer_lost', 'throws_after', 'doubled', 'raced'] as const)(
  'a card whose answer got lost or that arrived twice (%s) is saved once',
  async (fault) => {
    const life = await begin();
    life.replica.fail(fault);
    await put(life, 'sim_hold_expires');
    replicas.clock.advance(2 * minuteMs);
    await life.replica.round();
    expect(await booked(life, 'method')).toHaveLength(1);
    expect(await read(life)).toMatchObject({ card_change: null, last_four: '0601' });
  },
);

test('a restored database comes to the same card with the repeated command, and saves no second one', async () => {
  const life = await begin();
  const [copy, commandId] = [await copyDatabase(replicas.database), command()];
  await put(life, 'sim_hold_expires', {}, commandId);
  const before = await cardOf(life);
  await copy.restore();
  replicas.clock.advance(2 * dayMs);
  const restored = { ...life, replica: replicas.start() };
  expect(await put(restored, 'sim_hold_expires', {}, commandId)).toMatchObject({ payment_method: { status: 'saved' } });
  expect(await cardOf(restored)).toEqual(before);
  expect(await booked(restored, 'method')).toHaveLength(1);
});

test('nor does one that finds the processor away: the card that was saved before is found', async () => {
  const life = await begin();
  const [copy, commandId] = [await copyDatabase(replicas.database), command()];
  await put(life, 'sim_hold_expires', {}, commandId);
  const before = await cardOf(life);
  await copy.restore();
  replicas.clock.advance(2 * minuteMs);
  const restored = { ...life, replica: replicas.start() };
  restored.replica.fail('not_done');
  const again = await put(restored, 'sim_hold_expires', {}, commandId);
  expect(again).toMatchObject({ payment_method: { status: 'processing' } });
  replicas.clock.advance(2 * minuteMs);
  await restored.replica.round();
  expect(await cardOf(restored)).toEqual(before);
  expect(await booked(restored, 'method')).toHaveLength(1);
});

test('killed at any seam while a past-due card is saved and charged: one card, one charge of the period, and none without a card', async () => {
  const ends: string[] = [];
  for (let seam = 1; ; seam += volume(7, 1)) {
    const life = await pastDue();
    const [dying, commandId] = [dyingAt(seam), command()];
    const killed = { ...life, replica: replicas.start(dying) };
    const died = await put(killed, 'sim_refund_declined', { chargeNow: true }, commandId).then(
      () => false,
      (err: unknown) => {
        if (!isDeath(err)) throw err;
        return true;
      },
    );
    // The loop or the buyer with the same request, whichever comes first.
    if (seam % 2 === 0) {
      replicas.clock.advance(2 * minuteMs);
      await life.replica.round();
    } else await put(life, 'sim_refund_declined', { chargeNow: true }, commandId).catch(() => undefined);
    replicas.clock.advance(5 * minuteMs);
    await life.replica.round();
    await put(life, 'sim_refund_declined', { chargeNow: true }, commandId).catch((err) =>
      expect(err).toEqual(declined('try_again_later')),
    );
    replicas.clock.advance(dayMs);
    await life.replica.daily(life.account);
    await expectOneCardOneCharge(seam, life);
    ends.push((await readSubscription(replicas, life.id)).status);
    if (!died) break;
  }
  expect(ends.length).toBeGreaterThan(volume(3, 30));
  expect(new Set(ends)).toEqual(new Set(['active', 'past_due']));
}, 120_000);

async function expectOneCardOneCharge(seam: number, life: Life): Promise<void> {
  const cards = await cardsOf(life);
  expect([seam, cards.filter(({ finishedAt }) => finishedAt === null)]).toEqual([seam, []]);
  expect([seam, (await booked(life, 'method')).length]).toEqual([
    seam,
    cards.filter(({ status }) => status === 'succeeded').length,
  ]);
  const card = await cardOf(life);
  const isSaved = cards.some(({ status }) => status === 'succeeded');
  expect([seam, card?.payment_method === 'sim_declined']).toEqual([seam, !isSaved]);
  const charges = (await replicas.money(life.account, life.orderId)).payments.filter(({ step }) => step === 'renewal');
  const paid = charges.filter(({ status }) => status === 'succeeded');
  expect([seam, paid.length]).toEqual([seam, isSaved ? 1 : 0]);
  for (const { request } of paid) expect(request).toMatchObject({ savedMethod: card?.payment_method });
  expect([seam, (await booked(life, 'charge')).filter(({ status }) => status === 'succeeded').length]).toEqual([
    seam,
    paid.length,
  ]);
}
