import { newId } from '@app/contracts/ids';
import { listOrders } from '@app/contracts/orders';
import { findBuyer, listBuyerOrders } from '@app/contracts/portal';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { emailKeysMade } from '@app/service-kit/email-keys';
import { listen } from '@app/testing/points';
import { describe, expect, test } from 'vitest';
import { plainCourse } from './checkout-harness.ts';
import { dayMs, minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

/** Guarantee: who gives one mailbox in two spellings is one buyer. */
startReminders();

const later = (ms: number) => harness.base.clock.advance(ms);
const of = { accountId: 'acc_1', requestId: 'req-1' };
const none = { ok: true, sent: 0, recovered: 0, problem: null };
const from = ['browser'];
const monthly = { pricingType: 'subscription', billingInterval: 'month' } as const;
const clubId = newId('product', Date.now());

describe.each([
  ['a capital letter beyond ASCII', 'Özlem@example.com', 'özlem@example.com'],
  ['letters composed and decomposed', 'o\u0308zlem@example.com', 'ÖZLEM@Example.com'],
  ['both forms of a domain', 'eva@münchen.example', 'Eva@xn--mnchen-3ya.example'],
  ['capitals of a domain beyond ASCII', 'eva@xn--mnchen-3ya.example', 'eva@MÜNCHEN.EXAMPLE'],
  ['a full-width domain', 'eva@ｅｘａｍｐｌｅ.com', 'EVA@example.com'],
])('%s', (_, bought, asked) => {
  test('the buyer is found, and the address is shown as it was typed', async () => {
    const { orderId } = await harness.pay(await harness.open({ email: bought }), 'ok');
    expect(await harness.base.requester.request(findBuyer, { email: asked }, of)).toEqual({
      bought: true,
      rehearsed: false,
    });
    const own = await harness.base.requester.request(listBuyerOrders, { email: asked, test: false }, of);
    expect(own.data).toMatchObject([{ id: orderId }]);
    const listed = await harness.base.requester.request(listOrders, { q: asked }, of);
    const [local, domain = ''] = bought.split('@');
    expect(listed.data).toMatchObject([{ id: orderId, customer_email: `${local}@${domain.toLowerCase()}` }]);
  });

  test('the same purchase once more is asked about, and a second subscription too', async () => {
    await harness.pay(await harness.open({ email: bought }), 'ok', { from });
    const again = await harness.open({ email: asked });
    await expect(harness.pay(again, 'ok', { from })).rejects.toMatchObject({ code: 'already_bought' });
    later(61 * minuteMs);
    harness.shop.set('acc_1/club', { ...plainCourse, slug: 'club', productId: clubId, ...monthly });
    const paid = await harness.pay(await harness.open({ slug: 'club', email: bought }), 'ok', { from });
    later(10 * dayMs);
    const at = harness.base.clock.now().toISOString();
    const started = {
      ...{ subscriptionId: 'sub_1', orderId: paid.orderId as string, productId: clubId, customerEmail: bought },
      ...{ amountCents: 1_900, currency: 'usd', billingInterval: 'month' as const, test: false, startedAt: at },
    };
    const event = { id: newId('event', Date.now()), accountId: 'acc_1', occurredAt: at, data: started };
    await harness.billing.producers.publish(subscriptionStarted, event);
    await harness.billing.handled();
    const second = await harness.open({ slug: 'club', email: asked });
    await expect(harness.pay(second, 'ok', { from })).rejects.toMatchObject({ code: 'already_bought' });
  });

  test('who has bought or opted out gets no reminder', async () => {
    await harness.open({ email: asked });
    later(minuteMs);
    await harness.pay(await harness.open({ email: bought }), 'ok');
    later(61 * minuteMs);
    expect(await harness.run()).toEqual(none);
  });

  test('two open checkouts get one reminder, whose link ends all reminders', async () => {
    harness.smtp.behaviour.EHLO = '250-here\r\n250 SMTPUTF8';
    await harness.open({ email: bought });
    await harness.open({ email: asked });
    later(61 * minuteMs);
    expect(await harness.run()).toEqual({ ...none, sent: 1 });
    later(61 * minuteMs);
    expect(await harness.run()).toEqual(none);
    const [link] = harness.links();
    expect(await harness.optOut(link?.token ?? '')).toMatchObject({ optedOut: true });
    later(40 * dayMs);
    await harness.open({ email: bought });
    await harness.open({ email: asked, slug: 'course' });
    later(61 * minuteMs);
    expect(await harness.run()).toEqual(none);
  });
});

test('an address that the release before changes has no key of another, and gets its own', async () => {
  const opened = await harness.open({ email: 'ada@example.com' });
  await harness.query(`update checkouts set email = 'Özlem@example.com' where id = '${opened.id}'`);
  const keys = () => harness.query(`select email_key from checkouts where id = '${opened.id}'`);
  expect(await keys()).toEqual([{ email_key: null }]);
  const made = listen().announced(emailKeysMade, ({ table }) => table === 'checkouts');
  await harness.base.start();
  await made;
  expect(await keys()).toEqual([{ email_key: 'özlem@example.com' }]);
});

test('an order that the release before wrote is its buyer’s once a service has started', async () => {
  const { orderId } = await harness.pay(await harness.open({ email: 'Özlem@example.com' }), 'ok');
  await harness.query('update orders set email_key = null');
  await harness.base.start();
  const own = await harness.base.requester.request(listBuyerOrders, { email: 'özlem@example.com', test: false }, of);
  expect(own.data).toMatchObject([{ id: orderId }]);
});
