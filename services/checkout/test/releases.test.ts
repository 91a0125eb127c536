import { getOrder, orderExpired, orderPaid } from '@app/contracts/orders';
import { beforeEach, expect, test } from 'vitest';
import { losesReply } from './billing-stand-in.ts';
import { type Opened, withUpsell } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

beforeEach(() => void harness.shop.set('acc_1/course', withUpsell));

async function held(): Promise<{ opened: Opened; orderId: string }> {
  const opened = await harness.open({ email: `${crypto.randomUUID()}@example.com`, discountCode: 'ALWAYS' });
  const outcome = await harness.pay(opened);
  expect(outcome.status).toBe('authorized');
  return { opened, orderId: outcome.orderId as string };
}

const uses = async () => (await harness.query<{ uses: number }>('select uses::int from discount_uses'))[0]?.uses;
const find = (orderId: string) => harness.base.requester.request(getOrder, { orderId }, context());
const expired = async () =>
  (await harness.events())
    .filter(({ subject }) => subject === orderExpired.subject)
    .map(({ data }) => orderExpired.data.parse(data));
const refused = { code: 'invalid_transition' };
const released = { ok: true, status: 'released' };

/** The order has ended, once, however it came about. */
async function expectEnded({ opened, orderId }: Awaited<ReturnType<typeof held>>): Promise<void> {
  expect(await harness.list()).toEqual([]);
  expect(await find(orderId)).toMatchObject({ id: orderId, status: 'expired' });
  expect(await expired()).toMatchObject([{ orderId, reason: 'released' }]);
  expect(await uses()).toBe(0);
  expect(await harness.get(opened)).toMatchObject({ status: 'expired', accessUrl: null });
  expect(await harness.decide(opened, true)).toMatchObject({ status: 'expired' });
  expect((await harness.events()).map(({ subject }) => subject)).not.toContain(orderPaid.subject);
}

test('a released order ends without a charge: it leaves the lists, its event says why, and its discount can be used again', async () => {
  const order = await held();
  expect(await uses()).toBe(1);
  expect(await harness.release(order.orderId)).toMatchObject({ ...released, orderId: order.orderId });
  await expectEnded(order);
  // Repeated alike, and nothing more is requested or sent.
  expect(await harness.release(order.orderId)).toMatchObject(released);
  // With the attempt that the card is held for: billing may have lost it.
  const { paymentMethod: _, ...attempt } = harness.billing.started[0] as (typeof harness.billing.started)[0];
  const looked = { ...attempt, returnUrl: null, confirmsByScript: false };
  expect(harness.billing.releasesRequested).toEqual([{ orderId: order.orderId, attempt: looked }]);
  await expect(harness.refund(order.orderId)).rejects.toMatchObject(refused);
  await harness.billing.publishSettled(order.orderId);
  await harness.billing.handled();
  await expectEnded(order);
});

test('an order that is paid or refunded is not released, and one of another account is as unknown as none', async () => {
  const { opened, orderId } = await held();
  await harness.decide(opened, false);
  await expect(harness.release(orderId)).rejects.toMatchObject(refused);
  await harness.refund(orderId);
  await expect(harness.release(orderId)).rejects.toMatchObject(refused);
  for (const [id, account] of [
    [orderId, 'acc_2'],
    ['ord_01jd2q5v8kfw9s3x6z7yabcdef', 'acc_1'],
  ] as const) {
    await expect(harness.release(id, account)).rejects.toMatchObject({ code: 'order_not_found' });
  }
  expect(harness.billing.releasesRequested).toEqual([]);
});

test('a hold that is being captured is not released; one that billing captured meanwhile is paid, and the seller is told so', async () => {
  const waiting = await held();
  harness.billing.settle(waiting.orderId, 'not_decided');
  harness.billing.settling = true;
  await expect(harness.release(waiting.orderId)).rejects.toMatchObject(refused);
  expect(await find(waiting.orderId)).toMatchObject({ status: 'authorized' });
  harness.billing.settling = false;
  await expect(harness.release(waiting.orderId)).rejects.toMatchObject(refused);
  expect(await find(waiting.orderId)).toMatchObject({ status: 'paid' });
  expect(await expired()).toEqual([]);
});

test('while the processor has not answered the release is under way: the buyer is offered nothing, and the event ends the order', async () => {
  const order = await held();
  harness.billing.releasing = true;
  expect(await harness.release(order.orderId)).toMatchObject({ ok: true, status: 'processing' });
  expect(await harness.get(order.opened)).toMatchObject({ status: 'processing', upsell: null });
  expect(await find(order.orderId)).toMatchObject({ status: 'authorized' });
  await harness.billing.publishSettled(order.orderId);
  await harness.billing.handled();
  await expectEnded(order);
  expect(await harness.release(order.orderId)).toMatchObject(released);
});

test('a release whose reply from billing is lost is ended by the event, or by the same request again', async () => {
  for (const again of [true, false]) {
    await harness.reset();
    harness.shop.set('acc_1/course', withUpsell);
    const order = await held();
    harness.billing.beforeReleased = losesReply;
    await expect(harness.release(order.orderId)).rejects.toMatchObject({ code: expect.any(String) });
    harness.billing.beforeReleased = async () => undefined;
    if (again) expect(await harness.release(order.orderId)).toMatchObject(released);
    await harness.billing.publishSettled(order.orderId);
    await harness.billing.handled();
    await expectEnded(order);
  }
});

test('the seller releases and the buyer decides at once: the order is paid or has ended, never both', async () => {
  for (let round = 0; round < 6; round += 1) {
    await harness.reset();
    harness.shop.set('acc_1/course', withUpsell);
    const { opened, orderId } = await held();
    const seller = () => Promise.allSettled([harness.release(orderId), harness.release(orderId)]);
    const buyer = () => harness.decide(opened, true);
    await Promise.all(round % 2 === 0 ? [seller(), buyer()] : [buyer(), seller()]);
    await harness.billing.publishSettled(orderId);
    await harness.billing.handled();
    const { status } = await find(orderId);
    const subjects = (await harness.events()).map(({ subject }) => subject);
    const ends = subjects.filter((one) => one === orderPaid.subject || one === orderExpired.subject);
    expect(ends).toEqual([status === 'paid' ? orderPaid.subject : orderExpired.subject]);
    expect(await uses()).toBe(status === 'paid' ? 1 : 0);
  }
});
