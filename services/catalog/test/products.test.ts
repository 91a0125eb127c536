import { limits } from '@app/contracts/common';
import { getFunnel } from '@app/contracts/funnels';
import { newIdSuffix } from '@app/contracts/ids';
import { getProductImage } from '@app/contracts/images';
import {
  createProduct,
  deleteProductImage,
  getProduct,
  listProducts,
  type ProductResource,
  productCreated,
  productRenamed,
  putProductImage,
  updateProduct,
} from '@app/contracts/products';
import { patiently } from '@app/testing/patiently';
import { expect, test } from 'vitest';
import { catalog, startService } from './set-up.ts';

startService();

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const stranger = { accountId: 'acc_01kex0000000000000000000zz' };
const guide = { name: 'Guide', priceCents: 4900, pricingType: 'onetime' as const };

function create(slug: string, more: object = {}, context: object = {}): Promise<ProductResource> {
  return catalog.request(createProduct, { body: { ...guide, slug, ...more }, defaultCurrency: 'eur' }, context);
}
const patch = (productId: string, body: object, context: object = {}) =>
  catalog.request(updateProduct, { productId, body }, context);

test('a product begins as a draft in the account’s currency and reads back as it was answered', async () => {
  const created = await create('first');
  expect(created).toMatchObject({
    slug: 'first',
    price_cents: 4900,
    currency: 'eur',
    status: 'draft',
    access_url: null,
  });
  expect(created).toMatchObject({ billing_interval: null, created_at: '2026-01-15T12:00:00.000Z' });
  expect(await catalog.request(getProduct, { productId: created.id })).toEqual(created);
});

test('a subscription may begin live, in a currency of its own', async () => {
  const club = {
    pricingType: 'subscription',
    billingInterval: 'month',
    currency: 'jpy',
    status: 'live',
    accessUrl: 'https://club.test/',
  };
  expect(await create('club', club)).toMatchObject({
    pricing_type: 'subscription',
    billing_interval: 'month',
    currency: 'jpy',
    status: 'live',
    access_url: 'https://club.test/',
  });
  await expect(create('old', { status: 'archived' })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('the list holds every product of the account alone, in order of creation, exactly as each reads', async () => {
  const context = { accountId: 'acc_01kex0000000000000000000aa' };
  expect(await catalog.request(listProducts, {}, context)).toEqual({ data: [] });
  const draft = await create('b-draft', { name: '“Quoted” \\ 🎉' }, context);
  const live = await create('a-live', { status: 'live', priceCents: 9_999_999_999 }, context);
  expect(await catalog.request(listProducts, {}, context)).toEqual({ data: [draft, live] });
});

test('with paging requested, products page back newest first', async () => {
  const context = { accountId: 'acc_01kex0000000000000000000bb' };
  const slugs = ['p1', 'p2', 'p3'];
  for (const slug of slugs) await create(slug, {}, context);
  const page = await catalog.request(listProducts, { limit: 2 }, context);
  expect(page).toMatchObject({ data: [{ slug: 'p3' }, { slug: 'p2' }], has_more: true });
  const rest = await catalog.request(listProducts, { before: page.data[1]?.id }, context);
  expect(rest).toMatchObject({ data: [{ slug: 'p1' }], has_more: false });
  const foreign = catalog.request(listProducts, { before: page.data[1]?.id }, stranger);
  await expect(foreign).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'before' }] });
});

test('all products fit one answer, were there as many as there may be and each as long as it may be', async () => {
  const context = { accountId: 'acc_01kex0000000000000000000cc' };
  await catalog.database.pool.query(
    `insert into products (account_id, id, name, slug, price_cents, currency, pricing_type, billing_interval, status,
       access_url, created_at, updated_at)
     select $1, 'prd_' || lpad(n::text, 26, '0'), $2, rpad('slug-' || n, 80, 'x'), 9999999999, 'usd', 'subscription',
       'month', 'archived', $3, now(), now() from generate_series(1, $4::int) n`,
    [
      context.accountId,
      '\u0001'.repeat(limits.name),
      `https://${'中'.repeat(limits.url - 8)}`,
      limits.productsPerAccount,
    ],
  );
  // Seven megabytes, which a busy machine may not write and read within the time of a read.
  const { data } = await catalog.request(patiently(listProducts), {}, context);
  expect(data).toHaveLength(limits.productsPerAccount);
  expect(Buffer.byteLength(JSON.stringify(data))).toBeGreaterThan(7_000_000);
});

test('a patch changes the given fields and the time of change; an empty one changes nothing', async () => {
  const created = await create('patched', { accessUrl: 'https://a.test/' });
  catalog.clock.advance(1_234);
  expect(await patch(created.id, {})).toEqual(created);
  const later = catalog.clock.now().toISOString();
  const changed = await patch(created.id, { priceCents: 100, accessUrl: null });
  expect(changed).toEqual({ ...created, price_cents: 100, access_url: null, updated_at: later, version: 2 });
  expect(await catalog.request(getProduct, { productId: created.id })).toEqual(changed);
});

test('a new name is published once, and other changes are not', async () => {
  const { id } = await create('renamed', { pricingType: 'subscription', billingInterval: 'year' });
  const command = { commandId: newIdSuffix(Date.now()) };
  await patch(id, { name: 'Guide', priceCents: 1 });
  await patch(id, { name: 'Handbook' }, command);
  await patch(id, { name: 'Handbook' }, command);
  const { rows } = await catalog.database.pool.query<{ event: { data: unknown } }>(
    `select payload::json as event from outbox where subject = $1 and payload::json -> 'data' ->> 'productId' = $2`,
    [productRenamed.subject, id],
  );
  expect(rows.map(({ event }) => event)).toMatchObject([
    { accountId: catalog.accountId, data: { productId: id, name: 'Handbook', pricingType: 'subscription' } },
  ]);
});

test('a draft changes its currency, its pricing type and its interval, and the new type is published', async () => {
  const draft = await create('terms');
  expect(await patch(draft.id, { currency: 'usd' })).toMatchObject({ currency: 'usd', price_cents: 4900 });
  await expect(patch(draft.id, { pricingType: 'subscription' })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'billingInterval', message: 'is required for a subscription' }],
  });
  await expect(patch(draft.id, { billingInterval: 'year' })).rejects.toMatchObject({
    errors: [{ field: 'billingInterval', message: 'is for subscriptions only' }],
  });
  const club = { pricing_type: 'subscription', billing_interval: 'month' };
  expect(await patch(draft.id, { pricingType: 'subscription', billingInterval: 'month' })).toMatchObject(club);
  expect(await patch(draft.id, { pricingType: 'onetime' })).toMatchObject({ billing_interval: null });
  const { rows } = await catalog.database.pool.query<{ data: unknown }>(
    `select payload::json -> 'data' as data from outbox
     where subject = $1 and payload::json -> 'data' ->> 'productId' = $2 order by event_id`,
    [productRenamed.subject, draft.id],
  );
  const published = { productId: draft.id, name: 'Guide' };
  expect(rows.map(({ data }) => data)).toEqual([
    { ...published, pricingType: 'subscription' },
    { ...published, pricingType: 'onetime' },
  ]);
});

test('what was ever on sale keeps its currency, pricing type and interval: the refusal names each, and changes nothing', async () => {
  const { id } = await create('sold', { pricingType: 'subscription', billingInterval: 'month', currency: 'usd' });
  const terms = { currency: 'jpy', pricingType: 'onetime', billingInterval: null };
  for (const status of ['live', 'archived']) {
    const before = await patch(id, { status });
    await expect(patch(id, { ...terms, name: 'No' })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: Object.keys(terms).map((field) => ({ field, code: 'not_a_draft' })),
    });
    expect(await catalog.request(getProduct, { productId: id })).toEqual(before);
    expect(await patch(id, { currency: 'usd', billingInterval: 'month' })).toMatchObject({ currency: 'usd' });
  }
});

test('every created product is reported once, and a refused one not at all', async () => {
  const stranger = { accountId: 'acc_01kex0000000000000000000dd' };
  const command = { ...stranger, commandId: newIdSuffix(Date.now()) };
  const { id } = await create('announced', {}, command);
  await create('announced', {}, command);
  await expect(create('announced', {}, stranger)).rejects.toMatchObject({ code: 'slug_taken' });
  const { rows } = await catalog.database.pool.query<{ event: unknown }>(
    `select payload::json as event from outbox where subject = $1 and payload::json ->> 'accountId' = $2`,
    [productCreated.subject, stranger.accountId],
  );
  expect(rows.map(({ event }) => event)).toMatchObject([
    { accountId: stranger.accountId, data: { productId: id, name: 'Guide', pricingType: 'onetime' } },
  ]);
});

test('the latest name has the latest event, also when the clock was set back between two renames', async () => {
  const { id } = await create('set-back');
  const today = catalog.clock.now().toISOString();
  catalog.clock.advance(40 * 24 * 60 * 60 * 1000);
  await patch(id, { name: 'Of the future' });
  catalog.clock.set(today);
  await patch(id, { name: 'Of today' });
  const { rows } = await catalog.database.pool.query<{ name: string }>(
    `select payload::json -> 'data' ->> 'name' as name from outbox
     where subject = $1 and payload::json -> 'data' ->> 'productId' = $2 order by event_id`,
    [productRenamed.subject, id],
  );
  expect(rows.map(({ name }) => name)).toEqual(['Of the future', 'Of today']);
});

test('status moves along draft, live, archived, live, and never back to draft', async () => {
  const { id } = await create('moving');
  for (const status of ['live', 'archived', 'live']) expect(await patch(id, { status })).toMatchObject({ status });
  await expect(patch(id, { status: 'draft', name: 'No' })).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await catalog.request(getProduct, { productId: id })).toMatchObject({ status: 'live', name: 'Guide' });
});

test('a draft is archived without being sold first, and can be sold later', async () => {
  const { id } = await create('mistaken');
  for (const status of ['archived', 'live']) expect(await patch(id, { status })).toMatchObject({ id, status });
  const { id: other } = await create('mistaken-too');
  await patch(other, { status: 'archived' });
  await expect(patch(other, { status: 'draft' })).rejects.toMatchObject({ code: 'invalid_transition' });
});

test('a slug is taken once per account, also when two request it at the same time', async () => {
  const attempts = await Promise.allSettled([create('wanted'), create('wanted'), create('wanted')]);
  const refusals = attempts.filter((attempt) => attempt.status === 'rejected').map((attempt) => attempt.reason.code);
  expect(refusals).toEqual(['slug_taken', 'slug_taken']);
  const other = await create('other');
  await expect(patch(other.id, { slug: 'wanted' })).rejects.toMatchObject({ code: 'slug_taken' });
  await expect(create('wanted', {}, stranger)).resolves.toMatchObject({ slug: 'wanted' });
});

test('a repeated command has one effect and one answer', async () => {
  const command = { commandId: newIdSuffix(Date.now()) };
  const [first, second] = await Promise.all([create('repeated', {}, command), create('repeated', {}, command)]);
  expect(second).toEqual(first);
  expect(first.id).toBe(`prd_${command.commandId}`);
  const change = { commandId: newIdSuffix(Date.now()) };
  const changed = await patch(first.id, { name: 'Once' }, change);
  await patch(first.id, { name: 'Later' });
  expect(await patch(first.id, { name: 'Once' }, change)).toEqual(changed);
  expect(await catalog.request(getProduct, { productId: first.id })).toMatchObject({ name: 'Later' });
});

test('a command that was refused may be sent again and then succeed', async () => {
  const holder = await create('held');
  const command = { commandId: newIdSuffix(Date.now()) };
  await expect(create('held', {}, command)).rejects.toMatchObject({ code: 'slug_taken' });
  await patch(holder.id, { slug: 'let-go' });
  expect(await create('held', {}, command)).toMatchObject({ slug: 'held' });
});

test('another account’s product is an unknown one', async () => {
  const { id } = await create('mine');
  const unknown = { code: 'product_not_found' };
  for (const [productId, context] of [
    [id, stranger],
    ['prd_nothing', {}],
  ] as const) {
    await expect(catalog.request(getProduct, { productId }, context)).rejects.toMatchObject(unknown);
    await expect(catalog.request(getFunnel, { productId }, context)).rejects.toMatchObject(unknown);
    await expect(patch(productId, { name: 'Theirs' }, context)).rejects.toMatchObject(unknown);
  }
  expect(await catalog.request(getProduct, { productId: id })).toMatchObject({ name: 'Guide' });
});

test('fields that break the rules are refused by name', async () => {
  await expect(create('Bad Slug')).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'body.slug' }],
  });
  await expect(create('no-interval', { pricingType: 'subscription' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});

test('the schema itself refuses what the rules forbid', async () => {
  const insert = (changes: object) => {
    const row = {
      account_id: 'acc_x',
      id: 'prd_x',
      name: 'x',
      slug: 'x',
      price_cents: 1,
      currency: 'usd',
      pricing_type: 'onetime',
    };
    const times = { status: 'live', listed: true, version: 1, created_at: '2026-01-01', updated_at: '2026-01-01' };
    const values = [JSON.stringify({ ...row, ...times, ...changes })];
    return catalog.database.pool.query(
      'insert into products select * from json_populate_record(null::products, $1)',
      values,
    );
  };
  for (const broken of [
    { price_cents: -1 },
    { status: 'sold' },
    { billing_interval: 'month' },
    { pricing_type: 'subscription' },
  ]) {
    await expect(insert(broken)).rejects.toMatchObject({ code: '23514' });
  }
});

test('a product reads with its description and addresses, alone and in both kinds of lists', async () => {
  const context = { accountId: 'acc_01kex0000000000000000000ee' };
  const urls = { checkout: 'https://shop.example/c/ada', images: 'https://shop.example/images/products' };
  const description = 'Thirty lessons.\nYours to keep.';
  const { id } = await create('described', { description }, context);
  const expected = { id, description, image_url: null, checkout_url: 'https://shop.example/c/ada/described' };
  const one = await catalog.request(getProduct, { productId: id, urls }, context);
  expect(one).toMatchObject(expected);
  expect(await catalog.request(listProducts, { urls }, context)).toEqual({ data: [one] });
  expect(await catalog.request(listProducts, { urls, limit: 1 }, context)).toEqual({ data: [one], has_more: false });
  expect(await patch(id, { description: null }, context)).toMatchObject({ description: null });
  expect(await patch(id, { description: ' ' }, context)).toMatchObject({ description: null });
  await expect(patch(id, { description: 'x'.repeat(2_001) }, context)).rejects.toMatchObject({
    errors: [{ field: 'body.description' }],
  });
});

test('a picture is stored with its product in one step, replaced, deleted, and never another account’s', async () => {
  const context = { accountId: 'acc_01kex0000000000000000000ff' };
  const urls = { checkout: 'https://shop.example/c/ada', images: 'https://shop.example/images/products' };
  const { id: productId } = await create('pictured', {}, context);
  const put = (data: string, more: object = {}) =>
    catalog.request(putProductImage, { productId, body: { data } }, { ...context, ...more });
  const bytesOf = async (name: string) => (await catalog.request(getProductImage, { name }, { accountId: '' })).data;
  const bytes = Buffer.from(onePixel, 'base64');
  bytes.writeUInt32BE(2, 16);
  const other = bytes.toString('base64');
  const first = await put(onePixel);
  expect(first).toMatchObject({ contentType: 'image/png', width: 1, height: 1 });
  expect(await bytesOf(first.name)).toBe(onePixel);
  expect(await catalog.request(getProduct, { productId, urls }, context)).toMatchObject({
    image_url: `${urls.images}/${first.name}`,
  });
  const { commandId } = { commandId: newIdSuffix(Date.now()) };
  const second = await put(other, { commandId });
  // The reply was lost and the command comes again.
  expect(await put(other, { commandId })).toEqual(second);
  expect([await bytesOf(first.name), await bytesOf(second.name)]).toEqual([null, other]);
  await expect(put(onePixel, stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  await expect(put(Buffer.from('<svg/>').toString('base64'))).rejects.toMatchObject({ errors: [{ field: 'data' }] });
  await expect(catalog.request(deleteProductImage, { productId }, stranger)).rejects.toMatchObject({
    code: 'product_not_found',
  });
  expect(await bytesOf(second.name)).toBe(other);
  expect(await catalog.request(deleteProductImage, { productId }, context)).toEqual({ ok: true });
  expect(await bytesOf(second.name)).toBe(null);
  expect(await catalog.request(getProduct, { productId }, context)).toMatchObject({ image_url: null });
});
