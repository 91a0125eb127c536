import { expect, test } from 'vitest';
import { made, type Seller, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

const product = (seller: Seller, slug: string, more: object = {}) =>
  made(seller, '/api/v1/products', {
    ...{ name: `The ${slug}`, slug, priceCents: 4_900, currency: 'usd', pricingType: 'onetime', status: 'live' },
    ...more,
  });

test('a shop’s own address lists what it has on sale, page by page, and nothing else', async () => {
  const { baseUrl } = await sharedPlatform();
  const [seller, other] = [await signUp(baseUrl, 'Shelf'), await signUp(baseUrl, 'Other shelf')];
  const page = async (path: string) => {
    const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual' });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
  };
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  expect(await page(`/c/${handle}`)).toMatchObject({ status: 404, text: expect.stringContaining('nothing for sale') });
  await product(seller, 'draft', { status: 'draft' });
  await product(other, 'foreign');
  await product(seller, 'private', { listed: false });
  for (let n = 0; n < 21; n += 1)
    await product(seller, `item-${n}`, n === 20 ? { pricingType: 'subscription', billingInterval: 'month' } : {});

  const first = await page(`/c/${handle}`);
  expect(first.status).toBe(200);
  expect(first.text).not.toContain('noindex');
  expect(first.text).toContain('<meta name="description" content="Shelf: The item-20, The item-19, ');
  expect(first.text).toMatch(/The item-20<\/bdi><\/b><span class="quiet">.*\$49\.00.* every month/);
  for (const missing of ['The draft', 'The foreign', 'The private', 'The item-0<'])
    expect(first.text).not.toContain(missing);
  const next = /href="(\/c\/[^"]+\?before=prd_[^"]+)"/.exec(first.text)?.[1] ?? '';
  const second = await page(next);
  expect(second.text).toContain('The item-0<');
  expect(second.text).not.toContain('The private');
  expect(second.text).toContain('noindex');

  const foreign = (await other.call('GET', '/api/v1/products')).json.data[0].id;
  expect(await page(`/c/${handle}?before=${foreign}`)).toMatchObject({ status: 303, location: `/c/${handle}` });
  await seller.call('PATCH', '/api/v1/settings', { body: { handle: `${handle}-new` } });
  expect(await page(`/c/${handle}`)).toMatchObject({ status: 308, location: `/c/${handle}-new` });
  // Whoever has its link buys it, and its seller shows it whenever they like.
  expect((await page(`/c/${handle}-new/private`)).status).toBe(200);
  const { data: live } = (await seller.call('GET', '/api/v1/products?status=live')).json;
  const hidden = live.find(({ listed }: { listed: boolean }) => !listed);
  expect(hidden).toMatchObject({ slug: 'private' });
  await seller.call('PATCH', `/api/v1/products/${hidden.id}`, { body: { listed: true } });
  expect((await page(next.replace(handle, `${handle}-new`))).text).toContain('The private');
  const listed = (await seller.call('GET', '/api/v1/products?status=draft')).json;
  expect(listed).toMatchObject({ data: [{ slug: 'draft' }] });
});
