import { checkoutVisited } from '@app/contracts/checkouts';
import { beforeAll, expect, test } from 'vitest';
import { addProduct, call, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

/** A PNG of 70 bytes that no other file sends: whoever else had the picture would keep its address alive. */
const onePixel = pngOf(1_001);

/** A picture's address is made of its bytes, and these say its width. */
function pngOf(width: number): string {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  bytes.writeUInt32BE(width, 16);
  return bytes.toString('base64');
}

let platform: SharedPlatform;
let seller: Seller;
let handle: string;

beforeAll(async () => {
  platform = await sharedPlatform();
  seller = await signUp(platform.baseUrl, 'Offers and Sons');
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
});

const offer = (slug: string, query = '', of = handle) =>
  call(platform.baseUrl, 'GET', `/api/checkout/offers/${of}/${slug}${query}`);

test('a page reads product, seller, prices and processor in one request, and each change of them at once', async () => {
  const { productId, slug, bumpId } = await addProduct(seller, 'offered');
  const under = `/api/v1/products/${productId}`;
  await seller.call('PATCH', under, { body: { description: 'Thirty lessons.' } });
  const before = (await offer(slug)).json;
  expect(before).toMatchObject({ hasDiscountCodes: false, discount: null, totalCents: 9_900, processor: 'simulated' });
  await seller.call('POST', `${under}/discounts`, { body: { code: 'TENTH', percentOff: 10 } });
  const brand = { accentColor: '#0b5f4f', termsUrl: 'https://sons.example/terms' };
  await seller.call('PATCH', '/api/v1/settings', { body: brand });
  const product = await seller.call('GET', under);
  const { status, json } = await offer(slug, `?bumpIds=${bumpId}&discountCode=tenth`);
  expect(status).toBe(200);
  const { checkout_url: checkoutUrl } = product.json;
  expect(json).toMatchObject({
    product: { id: productId, slug, description: 'Thirty lessons.', imageUrl: null, checkoutUrl },
    seller: { handle, name: 'Offers and Sons', logoUrl: null, refundPolicyUrl: null, ...brand },
    bumps: [{ id: bumpId, chosen: true }],
    hasDiscountCodes: true,
    discount: { code: 'TENTH', refusal: null },
    test: false,
  });
  expect(new URL(checkoutUrl).pathname).toBe(`/c/${handle}/${slug}`);
  const sellerRead = await call(platform.baseUrl, 'GET', `/api/checkout/sellers/${handle}`);
  expect(sellerRead.json).toEqual(json.seller);
  const body = { handle, slug, bumpIds: [bumpId], discountCode: 'tenth' };
  const opened = await call(platform.baseUrl, 'POST', '/api/checkout', { body });
  expect(opened.json).toMatchObject({ totalCents: json.totalCents, lines: json.lines, quote: json.quote });
  // Nothing in it is of the moment: what did not change is answered in the same words.
  expect((await offer(slug, `?bumpIds=${bumpId}&discountCode=tenth`)).text).toBe(JSON.stringify(json));
});

test('a bad code is no bad request; drafts, unknown products and unknown sellers are not found, archived ones conflict', async () => {
  const { productId, slug } = await addProduct(seller, 'kept');
  expect((await offer(slug, '?discountCode=NONE')).json).toMatchObject({
    discount: { code: 'NONE', refusal: 'unknown' },
    totalCents: 9_900,
  });
  await seller.call('POST', '/api/v1/products', {
    body: { name: 'Draft', slug: 'a-draft', priceCents: 100, pricingType: 'onetime' },
  });
  const answers = [
    await offer('a-draft'),
    await offer('none'),
    await offer(slug, '', 'no-such-shop'),
    await offer('%00'),
  ];
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [404, 'product_not_found']));
  const many = Array.from({ length: 51 }, (_, index) => `bmp_${index}`).join(',');
  const refused = await offer(slug, `?bumpIds=${many}`);
  expect([refused.status, refused.json.errors?.[0]?.field]).toEqual([422, 'bumpIds']);
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { status: 'archived' } });
  const archived = await offer(slug);
  expect([archived.status, archived.json.code]).toEqual([409, 'no_longer_for_sale']);
});

test('a page that was read has no view, one that was seen has one, however often and with a checkout', async () => {
  const { productId, slug } = await addProduct(seller, 'seen');
  const views = async () => (await seller.call('GET', `/api/metrics/${productId}`)).json.summary.views;
  const visit = () => call(platform.baseUrl, 'POST', '/api/checkout/visits', { body: { handle, slug } });
  await offer(slug);
  expect((await visit()).json).toEqual({ ok: true });
  await visit();
  await call(platform.baseUrl, 'POST', '/api/checkout', { body: { handle, slug } });
  await handled('metrics', checkoutVisited, (data) => data.productId === productId);
  expect(await views()).toBe(1);
});

test('an earlier handle leads to the offer, which says the current one', async () => {
  const { slug } = await addProduct(seller, 'moved');
  const earlier = handle;
  await seller.call('PATCH', '/api/v1/settings', { body: { handle: `${earlier}-now` } });
  handle = `${earlier}-now`;
  const { status, json } = await offer(slug, '', earlier);
  expect([status, json.seller.handle]).toEqual([200, handle]);
  expect(json.product.checkoutUrl).toMatch(new RegExp(`/c/${handle}/${slug}$`));
});

test('an earlier slug leads to the product at its current address, and an order may name it', async () => {
  const { slug, productId } = await addProduct(seller, 'slug-before');
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { slug: 'slug-now' } });
  const moved = await fetch(`${platform.baseUrl}/c/${handle}/${slug}?utm_source=mail`, { redirect: 'manual' });
  const location = moved.headers.get('location') ?? '';
  expect([moved.status, location]).toEqual([308, `/c/${handle}/slug-now?utm_source=mail`]);
  expect((await fetch(`${platform.baseUrl}${location}`, { redirect: 'manual' })).status).toBe(200);
  const order = await seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'ada@example.com' } });
  expect(order.status).toBe(200);
});

test('the id of a product leads to its current address', async () => {
  const { productId } = await addProduct(seller, 'by-id');
  const moved = await fetch(`${platform.baseUrl}/c/${handle}/${productId}`, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('location')]).toEqual([308, `/c/${handle}/by-id`]);
  const unknown = await fetch(`${platform.baseUrl}/c/${handle}/${productId.slice(0, -4)}0000`, { redirect: 'manual' });
  expect(unknown.status).toBe(404);
});

test('picture and logo are at addresses of their bytes, which say exactly what they are and never change', async () => {
  const { productId, slug } = await addProduct(seller, 'pictured');
  const path = `/api/v1/products/${productId}/image`;
  const put = (at: string, data: string) => seller.call('PUT', at, { body: { data } });
  const picture = await put(path, onePixel);
  const logo = await put('/api/v1/settings/logo', onePixel);
  expect([picture.status, logo.status]).toEqual([200, 200]);
  const { json } = await offer(slug);
  expect([json.product.imageUrl, json.seller.logoUrl]).toEqual([picture.json.url, logo.json.url]);
  expect((await seller.call('GET', '/api/v1/settings')).json.logoUrl).toBe(logo.json.url);
  for (const url of [picture.json.url, logo.json.url]) {
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(onePixel);
    expect((await fetch(`${url}x`)).status).toBe(404);
    expect((await fetch(url.replace(/[^/]+$/, `${'A'.repeat(43)}.png`))).status).toBe(404);
  }
  await seller.call('DELETE', path);
  await seller.call('DELETE', '/api/v1/settings/logo');
  const without = (await offer(slug)).json;
  expect([without.product.imageUrl, without.seller.logoUrl]).toEqual([null, null]);
  // At its own address too, which shows no other picture ever.
  for (const url of [picture.json.url, logo.json.url]) expect((await fetch(url)).status).toBe(404);
});

test('a bump and an upsell show a picture and an earlier price of their own, and are charged their price', async () => {
  const { productId, slug, bumpId } = await addProduct(seller, 'offers-pictured');
  const under = `/api/v1/products/${productId}`;
  const upsell = { headline: 'The workbook', priceCents: 2_900 };
  const upsellId = (await seller.call('POST', `${under}/upsells`, { body: upsell })).json.id;
  const [bumpAt, upsellAt] = [`${under}/bumps/${bumpId}`, `${under}/upsells/${upsellId}`];
  const put = async (at: string, width: number) =>
    (await seller.call('PUT', `${at}/image`, { body: { data: pngOf(width) } })).json.url;
  const [bumpUrl, upsellUrl] = [await put(bumpAt, 1_002), await put(upsellAt, 1_003)];
  for (const at of [bumpAt, upsellAt]) {
    const low = await seller.call('PATCH', at, { body: { compareAtCents: 1_900 } });
    expect([low.status, low.json.errors?.[0]?.field]).toEqual([422, 'compareAtCents']);
    const changed = await seller.call('PATCH', at, { body: { compareAtCents: 4_900 } });
    expect(changed.json).toMatchObject({ compare_at_cents: 4_900, image_url: at === bumpAt ? bumpUrl : upsellUrl });
  }
  const bump = { id: bumpId, compareAtCents: 4_900, imageUrl: bumpUrl, priceCents: 1_900 };
  expect((await offer(slug)).json.bumps).toMatchObject([bump]);
  const body = { handle, slug, bumpIds: [bumpId], email: 'pictured@example.com' };
  const { id, secret, bumps } = (await call(platform.baseUrl, 'POST', '/api/checkout', { body })).json;
  expect(bumps).toMatchObject([bump]);
  const headers = { 'x-checkout-secret': secret };
  const changed = await call(platform.baseUrl, 'PATCH', `/api/checkout/${id}`, { headers, body: { name: 'Ada' } });
  expect(changed.json).toMatchObject({ totalCents: 11_800, bumps: [bump] });
  await call(platform.baseUrl, 'POST', `/api/checkout/${id}/pay`, { headers, body: { paymentMethod: 'sim_ok' } });
  // What the buyer was offered stays while they decide.
  await seller.call('PATCH', upsellAt, { body: { compareAtCents: null } });
  const held = (await call(platform.baseUrl, 'GET', `/api/checkout/${id}`, { headers })).json;
  expect(held).toMatchObject({ status: 'authorized', bumps: [bump] });
  expect(held.upsell).toMatchObject({ amountCents: 2_900, compareAtCents: 4_900, imageUrl: upsellUrl });
  expect((await fetch(upsellUrl)).status).toBe(200);
  await seller.call('DELETE', `${upsellAt}/image`);
  await seller.call('DELETE', bumpAt);
  for (const url of [bumpUrl, upsellUrl]) expect((await fetch(url)).status).toBe(404);
  const funnel = (await seller.call('GET', `/api/products/${productId}/funnel`)).json;
  expect(funnel).toMatchObject({ bumps: [], upsells: [{ image_url: null, compare_at_cents: null }] });
});

test('a picture of 150 KB is taken; a larger one, one that is no base64, and an SVG are refused with the field', async () => {
  const { productId } = await addProduct(seller, 'sized');
  const put = async (bytes: Buffer | string) => {
    const data = typeof bytes === 'string' ? bytes : bytes.toString('base64');
    const { status, json } = await seller.call('PUT', `/api/v1/products/${productId}/image`, { body: { data } });
    return [status, json.errors?.[0]?.field];
  };
  const sized = (bytes: number) => Buffer.concat([Buffer.from(onePixel, 'base64'), Buffer.alloc(bytes - 70)]);
  expect(await put(sized(150 * 1024))).toEqual([200, undefined]);
  for (const wrong of [
    sized(150 * 1024 + 1),
    'no base64!',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    '',
  ])
    expect(await put(wrong)).toEqual([422, 'data']);
});
