import type { EventEnvelope } from '@app/contracts/define';
import * as discounts from '@app/contracts/discounts';
import * as funnels from '@app/contracts/funnels';
import { newIdSuffix } from '@app/contracts/ids';
import * as products from '@app/contracts/products';
import { outboxPublished } from '@app/testing/followed-events';
import { beforeEach, expect, test } from 'vitest';
import { catalog, startService } from './set-up.ts';

startService();
let productId: string;

/** Every test has a product of its own. */
beforeEach(async () => {
  const slug = `p-${newIdSuffix(Date.now())}`;
  const body = { name: 'Course', slug, priceCents: 9900, pricingType: 'onetime' as const };
  productId = (await catalog.request(products.createProduct, { body, defaultCurrency: 'usd' })).id;
});

const stranger = { accountId: 'acc_01kex0000000000000000000zz' };
const funnel = () => catalog.request(funnels.getFunnel, { productId });
const email = (position: number) => ({
  position,
  sendDay: position - 1,
  subject: `Day ${position}`,
  body: `Text ${position}\n`,
});

test('a bump and an upsell have a link and a description of their own, which are changed and taken away', async () => {
  for (const kind of ['bump', 'upsell'] as const) {
    const shown = { accessUrl: 'https://a.example/one', description: 'Forty pages.' };
    const body = { headline: 'Workbook', priceCents: 900, ...shown };
    const made = await catalog.request(funnels.createOffer, { productId, kind, body });
    expect(made).toMatchObject({ access_url: shown.accessUrl, description: shown.description });
    const change = (changed: object) =>
      catalog.request(funnels.updateOffer, { productId, kind, offerId: made.id, body: changed });
    expect(await change({ headline: 'Book' })).toMatchObject({
      access_url: shown.accessUrl,
      description: 'Forty pages.',
    });
    expect(await change({ accessUrl: 'https://a.example/two' })).toMatchObject({ access_url: 'https://a.example/two' });
    expect(await change({ accessUrl: null, description: '' })).toMatchObject({ access_url: null, description: null });
  }
  for (const accessUrl of ['javascript:alert(1)', 'a.example', `https://a.example/${'x'.repeat(2048)}`]) {
    const { error } = funnels.createOfferBody.safeParse({ headline: 'Workbook', priceCents: 900, accessUrl });
    expect(error?.issues).toMatchObject([{ path: ['accessUrl'] }]);
  }
});

test('bumps and upsells are made active, changed field by field, listed in order of creation and deleted', async () => {
  for (const kind of ['bump', 'upsell'] as const) {
    const first = await catalog.request(funnels.createOffer, {
      productId,
      kind,
      body: { headline: 'Zed', priceCents: 900 },
    });
    const second = await catalog.request(funnels.createOffer, {
      productId,
      kind,
      body: { headline: 'Alef', priceCents: 0, active: 0 },
    });
    expect(first).toEqual({
      id: expect.stringMatching(kind === 'bump' ? /^bmp_/ : /^ups_/),
      headline: 'Zed',
      price_cents: 900,
      active: 1,
      access_url: null,
      description: null,
      compare_at_cents: null,
      image_url: null,
      version: 1,
    });
    expect(await funnel()).toMatchObject({ [`${kind}s`]: [first, { ...second, active: 0 }] });
    const change = (body: object) => catalog.request(funnels.updateOffer, { productId, kind, offerId: first.id, body });
    expect(await change({})).toEqual(first);
    expect(await change({ active: false })).toEqual({ ...first, active: 0, version: 2 });
    expect(await change({ headline: 'New', priceCents: 5 })).toEqual({
      ...first,
      headline: 'New',
      price_cents: 5,
      active: 0,
      version: 3,
    });
    expect(await catalog.request(funnels.deleteOffer, { productId, kind, offerId: first.id })).toEqual({ ok: true });
    expect(await funnel()).toMatchObject({ [`${kind}s`]: [second] });
  }
});

test('an offer is known by its own product, kind and account only', async () => {
  const body = { headline: 'One', priceCents: 1 };
  const { id: offerId } = await catalog.request(funnels.createOffer, { productId, kind: 'bump', body });
  const other = { name: 'Other', slug: `o-${newIdSuffix(Date.now())}`, priceCents: 1, pricingType: 'onetime' as const };
  const { id: otherProductId } = await catalog.request(products.createProduct, { body: other, defaultCurrency: 'usd' });
  const unknown = { code: 'offer_not_found' };
  for (const parent of [
    { productId, kind: 'upsell' },
    { productId: otherProductId, kind: 'bump' },
  ] as const) {
    await expect(catalog.request(funnels.updateOffer, { ...parent, offerId, body })).rejects.toMatchObject(unknown);
    await expect(catalog.request(funnels.deleteOffer, { ...parent, offerId })).rejects.toMatchObject(unknown);
  }
  const parent = { productId, kind: 'bump' as const, offerId };
  const foreign = { code: 'product_not_found' };
  await expect(catalog.request(funnels.updateOffer, { ...parent, body }, stranger)).rejects.toMatchObject(foreign);
  await expect(catalog.request(funnels.deleteOffer, parent, stranger)).rejects.toMatchObject(foreign);
  await expect(catalog.request(funnels.createOffer, { ...parent, body }, stranger)).rejects.toMatchObject(foreign);
  expect((await funnel()).bumps).toHaveLength(1);
});

test('old downsells are shown inactive and cannot be edited', async () => {
  const values = [catalog.accountId, productId];
  const insert = (active: boolean) =>
    catalog.database.pool.query(`insert into offers values ($1, $2, 'dns_old', 'downsell', 'Half price', 450, $3)`, [
      ...values,
      active,
    ]);
  await expect(insert(true)).rejects.toMatchObject({ code: '23514' });
  await insert(false);
  expect((await funnel()).downsells).toEqual([
    {
      ...{ id: 'dns_old', headline: 'Half price', price_cents: 450, active: 0, version: 1 },
      ...{ access_url: null, description: null, compare_at_cents: null, image_url: null },
    },
  ]);
  const parent = { productId, kind: 'bump' as const, offerId: 'dns_old' };
  await expect(catalog.request(funnels.deleteOffer, parent)).rejects.toMatchObject({ code: 'offer_not_found' });
});

test('emails are listed by position, and a position is taken once per product', async () => {
  const create = (position: number, context = {}) =>
    catalog.request(funnels.createFunnelEmail, { productId, body: email(position) }, context);
  const third = await create(3);
  const first = await create(1);
  expect(first).toEqual({
    id: expect.stringMatching(/^eml_/),
    position: 1,
    send_day: 0,
    subject: 'Day 1',
    body: 'Text 1\n',
    version: 1,
  });
  expect((await funnel()).emails).toEqual([first, third]);
  const attempts = await Promise.allSettled([create(2), create(2)]);
  expect(attempts.find((attempt) => attempt.status === 'rejected')).toMatchObject({
    reason: { code: 'position_taken' },
  });
  const change = (emailId: string, body: object, context = {}) =>
    catalog.request(funnels.updateFunnelEmail, { productId, emailId, body }, context);
  await expect(change(third.id, { position: 1 })).rejects.toMatchObject({ code: 'position_taken' });
  expect(await change(third.id, {})).toEqual(third);
  expect(await change(third.id, { position: 9, body: '' })).toEqual({ ...third, position: 9, body: '', version: 2 });
  await expect(change('eml_01kex0000000000000000000zz', {})).rejects.toMatchObject({ code: 'email_not_found' });
  await expect(change(third.id, {}, stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  await expect(create(5, stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  const remove = (context = {}) =>
    catalog.request(funnels.deleteFunnelEmail, { productId, emailId: third.id }, context);
  await expect(remove(stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  expect(await remove()).toEqual({ ok: true });
  await expect(remove()).rejects.toMatchObject({ code: 'email_not_found' });
});

test('discounts are listed, limited and deleted, and a code is taken once per product', async () => {
  const create = (
    body: { code: string; percentOff?: number; amountOffCents?: number; expiresAt?: string },
    context = {},
  ) => catalog.request(discounts.createDiscount, { productId, body }, context);
  const percent = await create({ code: 'spring', percentOff: 20, expiresAt: '2026-03-01T00:00:00+01:00' });
  expect(percent).toMatchObject({ code: 'SPRING', percent_off: 20, amount_off_cents: null, max_uses: null });
  expect(percent.expires_at).toBe('2026-02-28T23:00:00.000Z');
  const fixed = await create({ code: 'FIVE', amountOffCents: 500 });
  const list = (context = {}, page: { limit?: number; before?: string } = {}) =>
    catalog.request(discounts.listDiscounts, { productId, ...page }, context);
  expect(await list()).toEqual({ data: [fixed, percent] });
  expect(await list({}, { limit: 1 })).toEqual({ data: [fixed], has_more: true });
  expect(await list({}, { before: fixed.id })).toEqual({ data: [percent], has_more: false });
  await expect(create({ code: 'Five', percentOff: 1 })).rejects.toMatchObject({ code: 'code_taken' });
  await expect(create({ code: 'BOTH', percentOff: 1, amountOffCents: 1 })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  for (const expiresAt of ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00Z']) {
    await expect(create({ code: 'FAR', percentOff: 1, expiresAt })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  }
  const now = catalog.clock.now().toISOString();
  const inThePast = { code: 'validation_failed', errors: [{ field: 'expiresAt', code: 'in_the_past' }] };
  await expect(create({ code: 'PAST', percentOff: 1, expiresAt: now })).rejects.toMatchObject(inThePast);
  const change = (discountId: string, body: object, context = {}) =>
    catalog.request(discounts.updateDiscount, { productId, discountId, body }, context);
  expect(await change(percent.id, {})).toEqual(percent);
  await expect(change(percent.id, { expiresAt: now })).rejects.toMatchObject(inThePast);
  expect(await change(percent.id, { maxUses: 10 })).toEqual({ ...percent, max_uses: 10, version: 2 });
  expect(await change(percent.id, { expiresAt: null })).toEqual({
    ...percent,
    expires_at: null,
    max_uses: 10,
    version: 3,
  });
  await expect(change('dsc_01kex0000000000000000000zz', {})).rejects.toMatchObject({ code: 'discount_not_found' });
  const remove = (context = {}) =>
    catalog.request(discounts.deleteDiscount, { productId, discountId: fixed.id }, context);
  const foreign = [
    () => list(stranger),
    () => change(fixed.id, {}, stranger),
    () => remove(stranger),
    () => create({ code: 'X', percentOff: 1 }, stranger),
  ];
  for (const attempt of foreign) await expect(attempt()).rejects.toMatchObject({ code: 'product_not_found' });
  expect(await remove()).toEqual({ ok: true });
  await expect(remove()).rejects.toMatchObject({ code: 'discount_not_found' });
});

test('a discount changes between a percentage and an amount, under its id and code', async () => {
  const { createDiscount, getDiscount, updateDiscount } = discounts;
  const body = { code: 'spring', percentOff: 20, maxUses: 5 };
  const created = await catalog.request(createDiscount, { productId, body });
  const change = (changes: object) =>
    catalog.request(updateDiscount, { productId, discountId: created.id, body: changes });
  expect(await change({ percentOff: 25 })).toEqual({ ...created, percent_off: 25, version: 2 });
  const amount = { ...created, percent_off: null, amount_off_cents: 500 };
  expect(await change({ amountOffCents: 500 })).toEqual({ ...amount, version: 3 });
  await expect(change({ percentOff: 10, amountOffCents: 5 })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'body.percentOff' }],
  });
  const read = await catalog.request(getDiscount, { productId, discountId: created.id });
  expect(read).toEqual({ ...amount, version: 3 });
  expect(await change({ percentOff: 1, maxUses: null })).toEqual({
    ...created,
    percent_off: 1,
    max_uses: null,
    version: 4,
  });
});

test('one offer and one discount are read as their lists have them, by their own account and product alone', async () => {
  const discount = await catalog.request(discounts.createDiscount, { productId, body: { code: 'ONE', percentOff: 5 } });
  const ofDiscount = { productId, discountId: discount.id };
  expect(await catalog.request(discounts.getDiscount, ofDiscount)).toEqual(discount);
  for (const kind of ['bump', 'upsell'] as const) {
    const body = { headline: 'More', priceCents: 900, active: 0 as const };
    const offer = await catalog.request(funnels.createOffer, { productId, kind, body });
    const read = (changes: object, context = {}) =>
      catalog.request(funnels.getFunnelOffer, { productId, offerId: offer.id, ...changes }, context);
    expect(await read({})).toEqual(offer);
    await expect(read({}, stranger)).rejects.toMatchObject({ code: 'product_not_found' });
    await expect(read({ offerId: 'bmp_\u0000' })).rejects.toMatchObject({ code: 'offer_not_found' });
  }
  const refused = catalog.request(discounts.getDiscount, ofDiscount, stranger);
  await expect(refused).rejects.toMatchObject({ code: 'product_not_found' });
  const unknown = catalog.request(discounts.getDiscount, { productId, discountId: 'dsc_\u0000' });
  await expect(unknown).rejects.toMatchObject({ code: 'discount_not_found' });
});

test('the schema refuses a discount of both kinds or none', async () => {
  const insert = (percent: number | null, amount: number | null) =>
    catalog.database.pool.query(
      `insert into discounts (account_id, product_id, id, code, percent_off, amount_off_cents, created_at) values ($1, $2, 'dsc_x', 'X', $3, $4, now())`,
      [catalog.accountId, productId, percent, amount],
    );
  await expect(insert(1, 1)).rejects.toMatchObject({ code: '23514' });
  await expect(insert(null, null)).rejects.toMatchObject({ code: '23514' });
});

test('text comes back and goes out exactly as it was given, whatever it would mean to SQL', async () => {
  const text = `it's \\ \\' "?" ?? $1 :x {0} -- '; drop table products; 🎉 \u2028 end`;
  const body = { position: 1, sendDay: 0, subject: text, body: `${text}\r\n\ttail ` };
  const created = await catalog.request(funnels.createFunnelEmail, { productId, body });
  expect(created).toMatchObject({ subject: text, body: body.body });
  expect((await funnel()).emails).toEqual([created]);
  await catalog.request(funnels.pushFunnelEmails, { productId });
  const { rows } = await catalog.database.pool.query('select payload from outbox order by id desc limit 1');
  expect(JSON.parse(rows[0].payload).data).toMatchObject({ subject: text, body: body.body });
});

test('what is no id is unknown, not a fault', async () => {
  for (const id of ['', 'nothing', 'prd_\u0000', "' or true --"]) {
    const noProduct = { code: 'product_not_found' };
    await expect(catalog.request(funnels.getFunnel, { productId: id })).rejects.toMatchObject(noProduct);
    await expect(catalog.request(products.updateProduct, { productId: id, body: {} })).rejects.toMatchObject(noProduct);
    const offer = { productId, kind: 'bump' as const, offerId: id };
    await expect(catalog.request(funnels.updateOffer, { ...offer, body: {} })).rejects.toMatchObject({
      code: 'offer_not_found',
    });
    await expect(catalog.request(funnels.deleteOffer, offer)).rejects.toMatchObject({ code: 'offer_not_found' });
    const email = { productId, emailId: id };
    await expect(catalog.request(funnels.updateFunnelEmail, { ...email, body: {} })).rejects.toMatchObject({
      code: 'email_not_found',
    });
    await expect(catalog.request(funnels.deleteFunnelEmail, email)).rejects.toMatchObject({ code: 'email_not_found' });
    const discount = { productId, discountId: id };
    const noDiscount = { code: 'discount_not_found' };
    await expect(catalog.request(discounts.updateDiscount, { ...discount, body: {} })).rejects.toMatchObject(
      noDiscount,
    );
    await expect(catalog.request(discounts.deleteDiscount, discount)).rejects.toMatchObject(noDiscount);
  }
});

test('pushing emails publishes one event each, in order of position, once for a repeated command', async () => {
  const push = (context = {}) => catalog.request(funnels.pushFunnelEmails, { productId }, context);
  expect(await push()).toEqual({ ok: true, sent: 0 });
  for (const position of [2, 1]) await catalog.request(funnels.createFunnelEmail, { productId, body: email(position) });
  const context = { commandId: newIdSuffix(Date.now()) };
  expect(await push(context)).toEqual({ ok: true, sent: 2 });
  expect(await push(context)).toEqual({ ok: true, sent: 2 });
  await expect(push(stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  await outboxPublished(catalog.database.pool);
  const { rows: published } = await catalog.database.pool.query<{
    subject: string;
    payload: string;
    request_id: string;
  }>(
    `select subject, payload, request_id from outbox where subject = $1 and payload like $2 and stream_seq is not null
     order by stream_seq`,
    [funnels.funnelEmailSynced.subject, `%${productId}%`],
  );
  const events = published.map((row) => JSON.parse(row.payload) as EventEnvelope<unknown>);
  expect(events.map((event) => funnels.funnelEmailSynced.data.parse(event.data))).toMatchObject([
    { productId, productName: 'Course', position: 1, sendDay: 0, subject: 'Day 1', body: 'Text 1\n' },
    { productId, productName: 'Course', position: 2, sendDay: 1, subject: 'Day 2', body: 'Text 2\n' },
  ]);
  const about = { accountId: catalog.accountId, occurredAt: '2026-01-15T12:00:00.000Z' };
  for (const event of events) expect(event).toMatchObject(about);
  expect(published[0]).toMatchObject({ subject: funnels.funnelEmailSynced.subject, request_id: 'req-1' });
});

test('a funnel stays short enough for one answer, whatever its emails hold', async () => {
  // Control characters are the worst case: each byte of a body is six in JSON, which is what counts.
  const body = '\u0001'.repeat(100 * 1024);
  const add = (position: number, text: string) =>
    catalog.request(funnels.createFunnelEmail, { productId, body: { ...email(position), body: text } });
  const { id: emailId } = await add(1, body);
  const refused = { code: 'limit_reached', errors: [{ field: 'body' }] };
  await expect(add(2, body)).rejects.toMatchObject(refused);
  // What 600 KiB leave of 1 MiB, to the byte: quotes and line ends are two bytes each.
  const rest = `${'\u0001'.repeat(72_362)}"\n`;
  await expect(add(2, `${rest}.`)).rejects.toMatchObject(refused);
  await add(2, rest);
  for (let position = 3; position <= 50; position++) await add(position, '');
  await expect(add(51, '')).rejects.toMatchObject({ code: 'limit_reached' });
  const change = (text: string) =>
    catalog.request(funnels.updateFunnelEmail, { productId, emailId, body: { body: text } });
  expect(await change(body)).toMatchObject({ body });
  const funnel = await catalog.request(funnels.getFunnel, { productId });
  expect(funnel.emails).toHaveLength(50);
  expect(Buffer.byteLength(JSON.stringify(funnel))).toBeLessThan(1.3 * 1024 * 1024);
});

test('emails added at the same moment do not share the same room', async () => {
  const body = '\u0001'.repeat(100 * 1024);
  const add = (position: number) =>
    catalog.request(funnels.createFunnelEmail, { productId, body: { ...email(position), body } });
  const attempts = await Promise.allSettled([1, 2, 3, 4].map(add));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
