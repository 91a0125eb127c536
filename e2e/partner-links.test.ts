import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addProduct, call, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';

/** Guarantee: an order is credited to the affiliate whose link the buyer followed last, if there is one. */
let platform: SharedPlatform;
let seller: Seller;
let handle: string;
let slug: string;
let productId: string;
let jar: Map<string, string>;

beforeAll(async () => {
  platform = await sharedPlatform();
  seller = await signUp(platform.baseUrl, 'Partners and Sons');
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
  ({ productId, slug } = await addProduct(seller, 'partnered'));
  for (const code of ['ADA', 'BOB'])
    await seller.call('POST', '/api/v1/affiliates', {
      body: { code, name: code, email: `${code}@partners.example`, commissionPercent: 30 },
    });
});
beforeEach(() => {
  jar = new Map();
});

async function visit(query = '', of = handle, form?: Record<string, string>): Promise<Response> {
  const response = await fetch(`${platform.baseUrl}/c/${of}/${slug}${query}`, {
    redirect: 'manual',
    headers: {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form && { origin: platform.baseUrl }),
    },
    ...(form && { method: 'POST', body: new URLSearchParams({ product: productId, ...form }) }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
    if (/max-age=0/i.test(rest)) jar.delete(name);
    else jar.set(name, value);
    if (name.includes('ref_')) expect(rest).toMatch(/path=\/c(;|$)/i);
  }
  await response.text();
  return response;
}
const kept = () => [...jar].flatMap(([name, value]) => (name.includes('ref_') ? [value] : []));
let buyers = 0;
const typed = () => ({ email: `buyer-${++buyers}@example.com`, name: '', do: 'update' });

/** Of the order that the browser's checkout becomes. */
async function paid() {
  const [checkoutId, secret] = [...jar].find(([name]) => name.includes('fnl_checkout_'))?.[1].split('.') ?? [];
  const headers = { 'x-checkout-secret': secret as string };
  const body = { paymentMethod: 'sim_ok' };
  const { json } = await call(platform.baseUrl, 'POST', `/api/checkout/${checkoutId}/pay`, { headers, body });
  return (await seller.call('GET', `/api/v1/orders/${json.orderId}`)).json;
}

test('a code that no affiliate has replaces none who exists, and the order keeps the one', async () => {
  expect((await visit('?ref=ada')).status).toBe(200);
  expect(kept()).toEqual(['ADA']);
  await visit('?ref=producthunt');
  expect(kept()).toEqual(['ADA']);
  await visit('?ref=producthunt', handle, typed());
  expect(await paid()).toMatchObject({ affiliate_code: 'ADA' });
});

test('another affiliate’s link takes the place, and a code that nobody has is on the order of who had none', async () => {
  await visit('?ref=ada');
  await visit('?ref=bob');
  expect(kept()).toEqual(['BOB']);
  jar = new Map();
  await visit('?ref=producthunt');
  expect(kept()).toEqual([]);
  await visit('?ref=producthunt', handle, typed());
  expect(await paid()).toMatchObject({ affiliate_code: 'producthunt' });
});

test('a link that is followed while a checkout is open is where the order comes from', async () => {
  await visit('?utm_source=search&utm_term=paint');
  await visit('?utm_source=search&utm_term=paint', handle, typed());
  await visit('?ref=bob&utm_source=letter');
  expect(kept()).toEqual(['BOB']);
  await visit('?ref=producthunt');
  expect(await paid()).toMatchObject({ affiliate_code: 'BOB', utm_source: 'letter', utm_term: null });
});

test('a link to another product of the shop counts for the checkout that is open', async () => {
  const first = slug;
  await visit('?ref=ada');
  await visit('?ref=ada', handle, typed());
  ({ slug } = await addProduct(seller, 'partnered-too'));
  await visit('?ref=bob');
  slug = first;
  await visit();
  expect(await paid()).toMatchObject({ affiliate_code: 'BOB' });
});

test('an affiliate is kept when the handle changes, and one whom the release before kept stays', async () => {
  await visit('?ref=ada');
  await seller.call('PATCH', '/api/v1/settings', { body: { handle: 'partners-moved' } });
  const earlier = handle;
  handle = 'partners-moved';
  await visit('', handle, typed());
  expect(await paid()).toMatchObject({ affiliate_code: 'ADA' });
  jar = new Map([['ref', 'bob']]);
  expect((await visit('', earlier)).status).toBe(308);
  expect(kept()).toEqual(['bob']);
});
