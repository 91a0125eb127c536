import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { addProduct, call, made, signUp } from '../support/seller.ts';

/** Bound: one mailbox is one buyer, and one code is one code, however they are written. */
let cluster: Cluster;
let handle: string;
let slug: string;
beforeAll(async () => {
  cluster = await startCluster({ apart: [] });
  const seller = await signUp(cluster.baseUrl);
  const product = await addProduct(seller);
  slug = product.slug;
  await made(seller, `/api/v1/products/${product.productId}/discounts`, { code: 'FRIENDS', percentOff: 50 });
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
});
afterAll(() => cluster.close());

async function buy(email: string): Promise<string> {
  const opened = await call(cluster.baseUrl, 'POST', '/api/checkout', { body: { handle, slug, email } });
  const { json } = await call(cluster.baseUrl, 'POST', `/api/checkout/${opened.json.id}/pay`, {
    headers: { 'x-checkout-secret': opened.json.secret },
    body: { paymentMethod: 'sim_ok' },
  });
  return json.code ?? json.status;
}

test.each([
  ['Özlem@buyer.example', ['özlem@buyer.example', 'ÖZLEM@BUYER.example', 'O\u0308zlem@buyer.example']],
  ['ada@münchen.example', ['ada@xn--mnchen-3ya.example', 'Ada@MÜNCHEN.example', 'ada@mu\u0308nchen.example']],
])('a second purchase as another spelling of %s is known as the second one', async (email, spellings) => {
  expect(await buy(email)).toBe('paid');
  const again = await Promise.all(spellings.map(buy));
  print(`spellings: ${email} bought once; as ${spellings.join(', ')} the answer was ${again.join(', ')}`);
  expect(again).toEqual(spellings.map(() => 'already_bought'));
});

test.each([
  'FRIENDS',
  'friends',
  ' FRIENDS ',
  'FRI\u200bENDS',
  '\u2060FRIENDS',
  'FRIE\u00adNDS\u200e',
  'ＦＲＩＥＮＤＳ',
])('the code %j takes half off', async (code) => {
  const query = new URLSearchParams({ discountCode: code });
  const { json } = await call(cluster.baseUrl, 'GET', `/api/checkout/offers/${handle}/${slug}?${query}`);
  expect([json.discount?.refusal, json.totalCents]).toEqual([null, 4_950]);
});
