import { checkoutOwner, openedCheckoutResource } from '@app/contracts/checkouts';
import { maxAmountCents } from '@app/contracts/common';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { outboxPublished } from '@app/testing/followed-events';
import { expect, test } from 'vitest';
import { type CheckoutHarness, plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

const email = 'ada@example.com';
const count = async (table: string) => (await harness.query(`select 1 from ${table}`)).length;

test('a checkout opens with the prices of the catalog, and its secret is stored as a hash only', async () => {
  const opened = await harness.open({ email, bumpIds: ['bmp_1'], discountCode: 'always', utm_source: 'letter' });
  expect(openedCheckoutResource.parse(opened)).toEqual(opened);
  expect(opened).toMatchObject({
    status: 'open',
    product: { name: 'Course', slug: 'course', pricingType: 'onetime', billingInterval: null },
    seller: { name: 'Ada’s Courses', supportEmail: 'help@example.com' },
    bumps: [{ id: 'bmp_1', headline: 'Guide', priceCents: 1_900, chosen: true }],
    lines: [
      { kind: 'main', label: 'Course', amountCents: 9_900 },
      { kind: 'bump', label: 'Guide', amountCents: 1_900 },
      { kind: 'discount', label: 'ALWAYS', amountCents: -400 },
    ],
    totalCents: 11_400,
    discountCode: 'ALWAYS',
    orderId: null,
    accessUrl: null,
  });
  expect(Buffer.from(opened.secret, 'base64url')).toHaveLength(32);
  const [row] = await harness.query<{ row: string }>('select row_to_json(c)::text as row from checkouts as c');
  expect(row?.row).not.toContain(opened.secret);
  const { secret, ...resource } = opened;
  expect(await harness.get(opened)).toEqual({ ...resource, accountId: 'acc_1' });
});

test('an unknown id, an id that is none and a wrong secret get one and the same answer', async () => {
  const { id, secret } = await harness.open();
  const failure = async (checkoutId: string, given: string) => {
    const request = harness.get({ id: checkoutId, secret: given });
    return await request.then(
      () => 'found',
      (err: { code: string; message: string; errors: unknown }) => [err.code, err.message, err.errors],
    );
  };
  const wrong = await failure(id, `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`);
  expect(wrong[0]).toBe('checkout_not_found');
  for (const other of [newId('checkout', Date.now()), 'cko_1', '', 'cko_\u0000', `${id} `]) {
    expect(await failure(other, secret)).toEqual(wrong);
  }
  expect(await failure(id, '')).toEqual(wrong);
  const owner = { checkoutId: id, secret };
  const anyone = { accountId: '', requestId: 'r' };
  expect(await harness.base.requester.request(checkoutOwner, owner, anyone)).toEqual({
    accountId: 'acc_1',
    paid: false,
  });
});

test('a repeated open makes one checkout, and each secret that was handed out opens it', async () => {
  const { commandId } = context();
  const [one, other] = [await harness.open({}, { commandId }), await harness.open({}, { commandId })];
  expect(other.id).toBe(one.id);
  expect(other.secret).not.toBe(one.secret);
  for (const opened of [one, other]) expect((await harness.get(opened)).id).toBe(one.id);
  expect(await count('checkouts')).toBe(1);
});

test('what cannot be sold is refused with the field that names it, and nothing is opened', async () => {
  const refused = (body: Parameters<CheckoutHarness['open']>[0]) => expect(harness.open(body)).rejects;
  await refused({ slug: 'unknown' }).toMatchObject({ code: 'unknown_product', errors: [{ field: 'slug' }] });
  await refused({ bumpIds: ['bmp_9'] }).toMatchObject({ code: 'bump_not_found', errors: [{ field: 'bumpIds.0' }] });
  await refused({ discountCode: 'NO' }).toMatchObject({
    code: 'discount_invalid',
    errors: [{ field: 'discountCode' }],
  });
  harness.shop.set('acc_1/course', { ...plainCourse, status: 'archived' });
  await refused({}).toMatchObject({ code: 'product_not_live', errors: [{ field: 'slug' }] });
  expect(await count('checkouts')).toBe(0);
});

test.each([
  ['archived', { ...plainCourse, status: 'archived' }],
  ['gone', undefined],
] as const)(
  'an open checkout whose product is %s conflicts with that, and blames no field of its caller',
  async (_, product) => {
    const opened = await harness.open({ email });
    harness.shop.delete('acc_1/course');
    if (product !== undefined) harness.shop.set('acc_1/course', product);
    const conflict = { code: 'no_longer_for_sale', errors: [] };
    await expect(harness.get(opened)).rejects.toMatchObject(conflict);
    await expect(harness.update(opened, { name: 'Ada' })).rejects.toMatchObject(conflict);
    await expect(harness.pay(opened)).rejects.toMatchObject(conflict);
    expect(harness.billing.started).toEqual([]);
    // The seller may put it on sale again.
    harness.shop.set('acc_1/course', plainCourse);
    expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  },
);

test('a visitor counts once for each product and day, rehearsals apart', async () => {
  await harness.open();
  await harness.open();
  await harness.open({}, { visitor: 'visitor-2' });
  await harness.open({}, { testMode: true });
  harness.base.clock.advance(24 * 3_600_000);
  await harness.open();
  const visits = await harness.query<{ test: boolean }>(
    `select (payload::json -> 'data' ->> 'test')::boolean as test from outbox where subject like '%visited%' order by id`,
  );
  expect(visits.map((visit) => visit.test)).toEqual([false, false, true, false]);
});

test('a change is priced at once; what the buyer chooses must be on offer', async () => {
  const opened = await harness.open();
  const changed = await harness.update(opened, { email, name: 'Ada', country: 'GB', bumpIds: ['bmp_1'] });
  expect(changed).toMatchObject({ email, name: 'Ada', country: 'GB', totalCents: 11_800 });
  expect(await harness.update(opened, { discountCode: 'ALWAYS' })).toMatchObject({ totalCents: 11_400 });
  await expect(harness.update(opened, { bumpIds: ['bmp_9'] })).rejects.toMatchObject({ code: 'bump_not_found' });
  await expect(harness.update(opened, { discountCode: 'NO' })).rejects.toMatchObject({ code: 'discount_invalid' });
  expect(await harness.update(opened, { discountCode: null, bumpIds: [] })).toMatchObject({ totalCents: 9_900 });
  expect(await harness.get(opened)).toMatchObject({ email, totalCents: 9_900, discountCode: null });
});

test('changes from two tabs at once are all made', async () => {
  const opened = await harness.open();
  await Promise.all([
    harness.update(opened, { email }),
    harness.update(opened, { name: 'Ada' }),
    harness.update(opened, { country: 'GB' }),
    harness.update(opened, { bumpIds: ['bmp_1'] }),
  ]);
  expect(await harness.get(opened)).toMatchObject({ email, name: 'Ada', country: 'GB', totalCents: 11_800 });
});

test('a paid checkout is an order with its event, and the buyer gets what was bought', async () => {
  harness.base.affiliates.set('acc_1/leaf', 'Leaf');
  const opened = await harness.open({
    email,
    name: 'Ada Lovelace',
    country: 'GB',
    affiliateCode: 'LEAF',
    utm_term: 'x',
  });
  const outcome = await harness.pay(opened, 'ok', { body: { totalCents: 9_900 } });
  const orderId = harness.billing.attempts[0]?.input.orderId as string;
  expect(outcome).toEqual({ status: 'paid', orderId, totalCents: 9_900 });
  expect(harness.billing.started).toMatchObject([
    {
      orderId,
      attemptNo: 1,
      amountCents: 9_900,
      currency: 'usd',
      customerEmail: email,
      test: false,
      hold: null,
      savesCard: false,
    },
  ]);
  expect(await harness.query('select id, status, source, country, utm_term, affiliate_code from orders')).toEqual([
    { id: orderId, status: 'paid', source: 'checkout', country: 'GB', utm_term: 'x', affiliate_code: 'LEAF' },
  ]);
  const [event, ...more] = await harness.events();
  expect(more).toEqual([]);
  expect(orderPaid.data.parse(event?.data)).toMatchObject({
    ...{ orderId, customerName: 'Ada Lovelace', totalCents: 9_900, creditedCode: 'Leaf', source: 'checkout' },
    ...{ paymentMethod: null, upsellShown: false, upsell: null },
  });
  expect(await harness.get(opened)).toMatchObject({
    status: 'paid',
    orderId,
    totalCents: 9_900,
    accessUrl: 'https://example.com/access',
  });
  await expect(harness.update(opened, { name: 'Eve' })).rejects.toMatchObject({ code: 'invalid_transition' });
  await outboxPublished({ query: async (text) => ({ rows: await harness.query(text) }) });
  expect(await count('outbox where stream_seq is null')).toBe(0);
});

test('without an email nothing is charged, and the error names the field', async () => {
  const opened = await harness.open();
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'email' }] });
  expect(harness.billing.started).toEqual([]);
});

test('a price that changed since it was shown is shown anew, and charged only when the buyer pays again', async () => {
  const opened = await harness.open({ email });
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 12_000 });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'price_changed' });
  expect(harness.billing.started).toEqual([]);
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 12_000 });
});

test('a price that another tab only reads is not yet the one that this tab agrees to', async () => {
  const opened = await harness.open({ email });
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 12_000 });
  expect(await harness.get(opened)).toMatchObject({ totalCents: 12_000 });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'price_changed' });
  expect(harness.billing.started).toEqual([]);
});

test('a code that leaves nothing to pay of a subscription is refused: renewals need the card of a first payment', async () => {
  const monthly = { ...plainCourse, pricingType: 'subscription' as const, billingInterval: 'month' as const };
  const free = plainCourse.discounts.map((discount) => ({ ...discount, percentOff: 100, amountOffCents: null }));
  harness.shop.set('acc_1/course', { ...monthly, discounts: free });
  const refused = { code: 'discount_invalid', errors: [{ field: 'discountCode' }] };
  await expect(harness.open({ email, discountCode: 'ALWAYS' })).rejects.toMatchObject(refused);
  const opened = await harness.open({ email });
  await expect(harness.update(opened, { discountCode: 'ALWAYS' })).rejects.toMatchObject(refused);
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 9_900 });
  expect(harness.billing.started).toMatchObject([{ savesCard: true }]);
});

test.each(['declined', 'no-money'])(
  'an order that is paid days after a declined attempt is dated when it is paid; attempts within an hour are of one order: %s',
  async (card) => {
    const opened = await harness.open({ email });
    const hourMs = 3_600_000;
    await harness.pay(opened, card);
    harness.base.clock.advance(hourMs / 2);
    await harness.pay(opened, card);
    await harness.update(opened, { name: 'Ada' });
    harness.base.clock.advance(48 * hourMs);
    const meanwhile = (await harness.pay(await harness.open({ email: 'bob@example.com' }))).orderId;
    const paid = (await harness.pay(opened)).orderId as string;
    const [first, second, , last] = harness.billing.started.map(({ orderId }) => orderId);
    expect([second === first, last === first, last === paid]).toEqual([true, false, true]);
    const listed = await harness.list();
    expect(listed.map(({ id }) => id)).toEqual([paid, meanwhile]);
    expect(Date.parse(listed[0]?.created_at ?? '')).toBeGreaterThan(harness.base.clock.nowMs() - hourMs);
    expect(await harness.refund(paid)).toMatchObject({ status: 'refunded', refundedCents: 9_900 });
  },
);

test('an attempt that was given up and succeeds days later pays the order, whatever was declined in between', async () => {
  const opened = await harness.open({ email });
  await harness.pay(opened, 'given-up');
  await harness.pay(opened, 'declined');
  harness.base.clock.advance(48 * 3_600_000);
  await harness.pay(opened, 'declined');
  const [first] = harness.billing.attempts;
  if (first === undefined) throw new Error('nothing was started');
  first.outcome = { ...first.outcome, status: 'succeeded', reason: null };
  await harness.billing.publishCompleted(first);
  await harness.billing.handled();
  expect(await harness.get(opened)).toMatchObject({ status: 'paid', orderId: first.input.orderId });
  expect((await harness.list()).map(({ id }) => id)).toEqual([first.input.orderId]);
});

test('a double click on an old price charges nothing, although the first click made the new price the shown one', async () => {
  const opened = await harness.open({ email });
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 12_000 });
  for (let click = 0; click < 2; click++) {
    await expect(harness.pay(opened, 'ok', { body: { totalCents: 9_900 } })).rejects.toMatchObject({
      code: 'price_changed',
    });
  }
  expect(harness.billing.started).toEqual([]);
});

test('a bump or a code that has gone since is not charged silently: the total differs, and the buyer must accept it', async () => {
  const opened = await harness.open({ email, bumpIds: ['bmp_1'], discountCode: 'ALWAYS' });
  harness.shop.set('acc_1/course', { ...plainCourse, bumps: [] });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'price_changed' });
  harness.shop.set('acc_1/course', { ...plainCourse, bumps: [], discounts: [] });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'price_changed' });
  expect(await harness.get(opened)).toMatchObject({ totalCents: 9_900, discountCode: null, bumps: [] });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 9_900 });
});

test('an order of 0 is paid without the processor', async () => {
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 0 });
  const opened = await harness.open({ email });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 0 });
  expect(harness.billing.started).toEqual([]);
  expect(await harness.events()).toMatchObject([{ subject: orderPaid.subject, data: { totalCents: 0 } }]);
});

test('a declined card leaves the checkout open; the eleventh attempt is refused', async () => {
  const opened = await harness.open({ email });
  for (let attemptNo = 1; attemptNo <= 10; attemptNo++) {
    const declined = { status: 'declined', totalCents: 9_900, reason: 'card_declined' };
    expect(await harness.pay(opened, 'declined')).toEqual(declined);
  }
  expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: 'card_declined' });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(harness.billing.attempts.map(({ outcome }) => outcome.attemptNo)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await count('orders')).toBe(0);
});

test('a decline is said until the buyer changes the order, and again of the next attempt that is declined', async () => {
  const opened = await harness.open({ email });
  await harness.pay(opened, 'declined');
  expect(await harness.update(opened, { name: 'Ada' })).toMatchObject({ status: 'open', reason: null });
  expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: null });
  await harness.pay(opened, 'declined');
  expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: 'card_declined' });
});

test('a rehearsal is paid as any checkout, is in no list, and takes no use of a discount', async () => {
  const opened = await harness.open({ email, discountCode: 'TWICE' }, { testMode: true });
  expect(opened.test).toBe(true);
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 4_950 });
  expect(harness.billing.started).toMatchObject([{ test: true }]);
  expect(await harness.list()).toEqual([]);
  expect(await harness.events()).toMatchObject([{ data: { test: true } }]);
  expect(await harness.query('select uses::int from discount_uses')).toEqual([{ uses: 0 }]);
});

test('when the product of an open checkout is gone, another one under its slug is not sold to the buyer', async () => {
  const opened = await harness.open({ email });
  harness.shop.set('acc_1/course', { ...plainCourse, productId: newId('product', Date.now()) });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'no_longer_for_sale', errors: [] });
  await expect(harness.get(opened)).rejects.toMatchObject({ code: 'no_longer_for_sale' });
  expect(harness.billing.started).toEqual([]);
});

test('a slug that is renamed or given to another product changes nothing for open checkouts: each is sold what it was opened for', async () => {
  const opened = await harness.open({ email });
  harness.shop.set('acc_1/renamed', { ...plainCourse, slug: 'renamed' });
  const other = { ...plainCourse, productId: newId('product', Date.now()), name: 'Other', priceCents: 100 };
  harness.shop.set('acc_1/course', other);
  expect(await harness.get(opened)).toMatchObject({ product: { name: 'Course', slug: 'renamed' }, totalCents: 9_900 });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 9_900 });
  expect(await harness.query('select product_id from orders')).toEqual([{ product_id: plainCourse.productId }]);
  expect(await harness.open({ email })).toMatchObject({ product: { name: 'Other' }, totalCents: 100 });
});

test('a card’s token is written nowhere', async () => {
  const token = 'tok_4711_secret';
  const opened = await harness.open({ email });
  await harness.pay(opened, token);
  expect(harness.billing.started).toMatchObject([{ paymentMethod: token }]);
  for (const table of ['checkouts', 'checkout_attempts', 'orders', 'outbox']) {
    const rows = await harness.query<{ row: string }>(`select row_to_json(t)::text as row from ${table} as t`);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row).join()).not.toContain(token);
  }
});

const monthly = { ...plainCourse, pricingType: 'subscription' as const, billingInterval: 'month' as const };
const dearerWithCheaperBump = {
  ...monthly,
  priceCents: 10_900,
  bumps: plainCourse.bumps.map((bump) => ({ ...bump, priceCents: 900 })),
};

test.each([
  ['price under the same total', dearerWithCheaperBump, '$118.00, and it renews every month for $109.00.'],
  ['interval', { ...monthly, billingInterval: 'year' as const }, '$118.00, and it renews every year for $99.00.'],
])('a renewal whose %s changed is charged only when the buyer pays again', async (_, changed, said) => {
  harness.shop.set('acc_1/course', monthly);
  const opened = await harness.open({ email, bumpIds: ['bmp_1'] });
  harness.shop.set('acc_1/course', changed);
  // A double click: the page still shows the old lines.
  for (let click = 0; click < 2; click++) {
    const refused = { code: 'price_changed', message: expect.stringContaining(said) };
    await expect(harness.pay(opened, 'ok', { body: { quote: opened.quote } })).rejects.toMatchObject(refused);
  }
  expect(harness.billing.started).toEqual([]);
  const { quote } = await harness.get(opened);
  expect(await harness.pay(opened, 'ok', { body: { quote } })).toMatchObject({ status: 'paid', totalCents: 11_800 });
});

test('lines that changed are shown anew also where the page names no quote', async () => {
  harness.shop.set('acc_1/course', monthly);
  const opened = await harness.open({ email, bumpIds: ['bmp_1'] });
  harness.shop.set('acc_1/course', dearerWithCheaperBump);
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'price_changed' });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
});

test('a total over the limit is refused before the attempt begins', async () => {
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: maxAmountCents });
  const opened = await harness.open({ email, bumpIds: ['bmp_1'] });
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'total_too_large' });
  expect(await harness.query('select status, attempt_no from checkouts')).toEqual([{ status: 'open', attempt_no: 0 }]);
  await harness.update(opened, { bumpIds: [] });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: maxAmountCents });
});

test('the bank sends a buyer back under the deployment’s own address and the seller’s checkoutUrl alone', async () => {
  const ownUrls = ['https://funnels.example'];
  const opened = await harness.open({ email });
  const foreign = harness.pay(opened, 'declined', {
    ownUrls,
    body: { returnUrl: 'https://seller.example/pay/thanks' },
  });
  await expect(foreign).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'returnUrl' }] });
  expect(harness.billing.started).toEqual([]);
  await harness.applySettings({ checkoutUrl: 'https://seller.example/pay' }, 1);
  for (const returnUrl of ['https://funnels.example/c/ada/course', 'https://seller.example/pay/thanks'])
    await harness.pay(opened, 'declined', { ownUrls, body: { returnUrl } });
  expect(harness.billing.started).toHaveLength(2);
});

test.each([true, false])(
  'a checkout opened with test mode %s is not paid once it is switched, and one opened since is',
  async (testMode) => {
    await harness.applySettings({ testMode }, 2);
    const opened = await harness.open({ email }, { testMode, settingsRevision: 2 });
    await harness.applySettings({ testMode: !testMode }, 3);
    const refused = { code: 'test_mode_changed', message: expect.stringContaining('reload') };
    await expect(harness.pay(opened)).rejects.toMatchObject(refused);
    expect(harness.billing.started).toEqual([]);
    expect(await harness.query('select status, attempt_no from checkouts')).toEqual([
      { status: 'open', attempt_no: 0 },
    ]);
    const since = await harness.open({ email }, { testMode: !testMode, settingsRevision: 3 });
    expect(await harness.pay(since)).toMatchObject({ status: 'paid' });
    expect(harness.billing.started).toMatchObject([{ test: !testMode }]);
  },
);

test('settings that are older than the opening say nothing of its mode', async () => {
  await harness.applySettings({ testMode: false }, 2);
  const opened = await harness.open({ email }, { testMode: true, settingsRevision: 3 });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  expect(harness.billing.started).toMatchObject([{ test: true }]);
});

test('another card is not charged in the other mode, and the confirmation under way goes on in its own', async () => {
  const opened = await harness.open({ email });
  await harness.pay(opened, 'action');
  await harness.applySettings({ testMode: true }, 2);
  await expect(harness.pay(opened, 'ok')).rejects.toMatchObject({ code: 'test_mode_changed' });
  expect(await harness.resume(opened)).toMatchObject({ status: 'paid' });
  expect(harness.billing.attempts).toMatchObject([{ input: { test: false } }]);
});

test('a first card is waited for as long as its one call may take, another one as long as a release, a look-up and its call', async () => {
  const waited: number[] = [];
  harness.billing.beforeStart = async (_input, waitsMs) => void waited.push(Math.ceil(waitsMs / 1_000));
  const opened = await harness.open({ email });
  for (const card of ['action', 'ok']) await harness.pay(opened, card);
  expect(waited).toEqual([10, 26]);
});

test('the event of an order names the processor that took the money, and none where none did', async () => {
  await harness.pay(await harness.open({ email }));
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 0 });
  await harness.pay(await harness.open({ email: 'grace@example.com' }));
  const paid = (await harness.events()).filter(({ subject }) => subject === orderPaid.subject);
  const processors = paid.map(({ data }) => data.processor);
  expect(processors).toEqual(['stripe', undefined]);
});

test('a paid checkout says when and with which card', async () => {
  const opened = await harness.open({ email });
  expect(opened).toMatchObject({ paidAt: null, lastFour: null });
  await harness.pay(opened);
  const [paid] = await harness.events();
  const paidAt = paid?.data.paidAt;
  expect(await harness.get(opened)).toMatchObject({ status: 'paid', paidAt, lastFour: '4242' });
});
