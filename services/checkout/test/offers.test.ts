import { getOffer, recordVisit } from '@app/contracts/checkout-offers';
import type { RequestInput } from '@app/contracts/define';
import { expect, test } from 'vitest';
import { plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

const page = { description: 'Thirty lessons.', image: null, hasDiscountCodes: true };
const shown = { ...plainCourse, page };

const read = (wanted: Partial<RequestInput<typeof getOffer>> = {}, accountId = 'acc_1') =>
  harness.base.requester.request(
    getOffer,
    { slug: 'course', bumpIds: [], discountCode: null, testMode: false, ...wanted },
    context(accountId),
  );
const visit = (visitor: string, testMode = false) =>
  harness.base.requester.request(recordVisit, { slug: 'course', testMode, visitor }, context('acc_1'));
const views = async () => (await harness.query(`select 1 from outbox where subject like '%visited%'`)).length;

test('an offer has the lines, total and quote of a checkout that is opened with the same choice', async () => {
  harness.shop.set('acc_1/course', shown);
  const choice = { bumpIds: ['bmp_1'], discountCode: 'always' };
  const offer = await read(choice);
  expect(offer).toMatchObject({
    product: { name: 'Course', slug: 'course', priceCents: 9_900, description: 'Thirty lessons.', image: null },
    hasDiscountCodes: true,
    discount: { code: 'ALWAYS', refusal: null },
  });
  const { lines, totalCents, quote, bumps, currency } = await harness.open({ ...choice, email: 'ada@example.com' });
  // Links are of what was bought.
  const unlinked = lines.map(({ kind, label, amountCents }) => ({ kind, label, amountCents }));
  expect(offer).toMatchObject({ lines: unlinked, totalCents, quote, bumps, currency });
});

test('a checkout is paid with the quote of the offer, and with that of another choice nothing is charged', async () => {
  const { quote, totalCents } = await read({ bumpIds: ['bmp_1'] });
  const other = await read();
  const opened = await harness.open({ email: 'ada@example.com', bumpIds: ['bmp_1'] });
  const pay = (of: string) => harness.pay(opened, 'ok', { body: { quote: of } });
  await expect(pay(other.quote)).rejects.toMatchObject({ code: 'price_changed' });
  expect(harness.billing.started).toEqual([]);
  expect(await pay(quote)).toMatchObject({ status: 'paid', totalCents });
});

test('a code that takes nothing off is no error: it says why, and the price is without it', async () => {
  const nowMs = harness.base.clock.nowMs();
  const code = { percentOff: 100, amountOffCents: null, expiresAt: null, maxUses: null };
  const discounts = [
    { ...code, id: 'dsc_7', code: 'PAST', expiresAt: new Date(nowMs - 1).toISOString() },
    { ...code, id: 'dsc_8', code: 'ONCE', maxUses: 1 },
    { ...code, id: 'dsc_9', code: 'FREE' },
  ];
  harness.shop.set('acc_1/course', { ...shown, discounts });
  await harness.pay(await harness.open({ email: 'ada@example.com', discountCode: 'ONCE' }));
  const club = { ...shown, slug: 'club', pricingType: 'subscription' as const, billingInterval: 'month' as const };
  harness.shop.set('acc_1/club', { ...club, productId: 'prd_club', discounts });
  const refusals = [];
  for (const [slug, discountCode] of [
    ['course', 'no-such'],
    ['course', 'past'],
    ['course', 'once'],
    ['club', 'free'],
  ] as const) {
    const { discount, totalCents } = await read({ slug, discountCode });
    refusals.push([discount?.refusal, totalCents]);
  }
  expect(refusals).toEqual([
    ['unknown', 9_900],
    ['expired', 9_900],
    ['used_up', 9_900],
    ['frees_subscription', 9_900],
  ]);
});

test('a bump that is not on offer is left out of the price', async () => {
  const offer = await read({ bumpIds: ['bmp_9', 'bmp_1'] });
  expect(offer).toMatchObject({ totalCents: 11_800, bumps: [{ id: 'bmp_1', chosen: true }] });
});

test('a draft is as unknown as a product of another account; an archived product is no longer for sale', async () => {
  const failure = async (reading: ReturnType<typeof read>) =>
    await reading.then(
      () => 'found',
      ({ code, message }: { code: string; message: string }) => [code, message],
    );
  harness.shop.set('acc_1/course', { ...shown, status: 'draft' });
  const draft = await failure(read());
  expect(draft).toMatchObject(['product_not_found', {}]);
  expect(await failure(read({ slug: 'none' }))).toEqual(draft);
  harness.shop.set('acc_1/course', shown);
  expect(await failure(read({}, 'acc_2'))).toEqual(draft);
  harness.shop.set('acc_1/course', { ...shown, status: 'archived' });
  expect(await failure(read())).toMatchObject(['no_longer_for_sale', {}]);
});

test('an offer writes nothing and counts no view; a visible page does once a day, with checkouts and without', async () => {
  const tables = async () =>
    await harness.query(
      'select (select count(*) from checkouts) as c, (select count(*) from visits) as v, (select count(*) from outbox) as o',
    );
  const before = await tables();
  await read({ bumpIds: ['bmp_1'], discountCode: 'ALWAYS' });
  expect(await tables()).toEqual(before);
  await Promise.all(Array.from({ length: 20 }, () => visit('one')));
  await harness.open({}, { visitor: 'one' });
  expect(await views()).toBe(1);
  await harness.open({}, { visitor: 'two' });
  await visit('two');
  expect(await views()).toBe(2);
  await visit('two', true);
  harness.base.clock.advance(24 * 3_600_000);
  await visit('two');
  expect(await views()).toBe(4);
});

test('what is not for sale has no views', async () => {
  harness.shop.set('acc_1/course', { ...shown, status: 'draft' });
  await expect(visit('one')).rejects.toMatchObject({ code: 'product_not_live' });
  harness.shop.clear();
  await expect(visit('one')).rejects.toMatchObject({ code: 'unknown_product' });
  expect(await views()).toBe(0);
});
