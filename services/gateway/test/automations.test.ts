import { newId } from '@app/contracts/ids';
import { beforeEach, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();
const path = '/api/v1/automations';
const productId = newId('product', Date.now());
const action = { type: 'post', url: 'https://maya.example/hook' };
beforeEach(() => {
  harness.forget();
  harness.books.product = `${seller.accountId} ${productId}`;
});

test('an automation of a product that is not there, or is another account’s, is refused with the field’s name', async () => {
  const other = await createSeller(url);
  const body = { name: 'Mine', event: 'order.paid', action };
  const change = `${path}/${newId('automation', Date.now())}`;
  for (const [key, id] of [
    [seller.key, newId('product', Date.now())],
    [other.key, productId],
  ] as const)
    for (const refused of [
      await send(url, 'POST', path, { key, body: { ...body, productId: id } }),
      await send(url, 'PATCH', change, { key, body: { productId: id } }),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([422, 'product_not_found']);
      expect(refused.json.errors).toMatchObject([{ field: 'productId', code: 'product_not_found' }]);
    }
  expect(harness.requested).toEqual([]);
});

test('an automation of a product of the account, or of every product, is passed on', async () => {
  const { key } = seller;
  for (const named of [{ productId }, { productId: null }, {}])
    expect(
      (await send(url, 'POST', path, { key, body: { name: 'Mine', event: 'order.paid', action, ...named } })).status,
    ).toBe(200);
  expect(harness.requested).toHaveLength(3);
});

test('a preview is told what the emails of the account go by: its address for support and its own', async () => {
  const action = { type: 'email', to: 'seller', subject: 'x', body: 'y' };
  const previewed = await send(url, 'POST', `${path}/preview`, {
    key: seller.key,
    body: { event: 'order.paid', action },
  });
  expect(previewed.status).toBe(200);
  expect(harness.requested.at(-1)).toMatchObject({
    account: { supportEmail: seller.email, supportEmailVerified: expect.any(Boolean), email: seller.email },
  });
});
