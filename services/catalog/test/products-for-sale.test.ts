import * as discounts from '@app/contracts/discounts';
import * as funnels from '@app/contracts/funnels';
import * as products from '@app/contracts/products';
import * as sale from '@app/contracts/products-for-sale';
import { patiently } from '@app/testing/patiently';
import { expect, test } from 'vitest';
import { draftAlone } from './harness.ts';
import { catalog, startService } from './set-up.ts';

startService();

const other = { accountId: 'acc_01kex0000000000000000000bb' };
const wanted = (change: Partial<sale.WantedForSale> = {}): sale.WantedForSale => ({
  accountId: catalog.accountId,
  productId: null,
  slug: '',
  discountCodes: [],
  ...change,
});
const find = async (...all: sale.WantedForSale[]) =>
  (await catalog.request(patiently(sale.findProductsForSale), { wanted: all }, { accountId: '' })).products;
const forSale = async (slug: string, ...discountCodes: string[]) =>
  (await find(wanted({ slug, discountCodes })))[0] ?? null;

async function createProduct(slug: string, context = {}): Promise<string> {
  const body = { name: `The ${slug}`, slug, priceCents: 4900, pricingType: 'onetime' as const };
  return (await catalog.request(products.createProduct, { body, defaultCurrency: 'eur' }, context)).id;
}

const createOffer = (productId: string, kind: funnels.OfferKind, headline: string, priceCents: number, active: 0 | 1) =>
  catalog.request(funnels.createOffer, { productId, kind, body: { headline, priceCents, active } });

test('an earlier slug leads to its product, until a live product takes it', async () => {
  const patch = (productId: string, body: object) => catalog.request(products.updateProduct, { productId, body });
  const at = async (slug: string) => (await forSale(slug))?.productId;
  const first = await createProduct('moved-a');
  await patch(first, { slug: 'moved-draft' });
  expect(await at('moved-a')).toBeUndefined();
  await patch(first, { status: 'live', slug: 'moved-b' });
  expect(await at('moved-draft')).toBeUndefined();
  await patch(first, { slug: 'moved-c' });
  expect([await at('moved-b'), (await forSale('moved-b'))?.slug, await at('moved-c')]).toEqual([
    first,
    'moved-c',
    first,
  ]);
  expect((await find(wanted({ ...other, slug: 'moved-b' })))[0]).toBeNull();
  const second = await createProduct('moved-b');
  expect(await at('moved-b')).toBe(first);
  await patch(second, { status: 'live' });
  expect(await at('moved-b')).toBe(second);
  await patch(second, { slug: 'moved-d' });
  expect(await at('moved-b')).toBe(second);
  await patch(first, { slug: 'moved-b' });
  expect([await at('moved-b'), await at('moved-c')]).toEqual([first, first]);
});

test('of one product the latest 20 slugs lead to it', async () => {
  const productId = await createProduct('slug-0');
  await catalog.request(products.updateProduct, { productId, body: { status: 'live' } });
  for (let n = 1; n <= 22; n += 1)
    await catalog.request(products.updateProduct, { productId, body: { slug: `slug-${n}` } });
  expect([await forSale('slug-0'), await forSale('slug-1')]).toEqual([null, null]);
  expect((await forSale('slug-2'))?.productId).toBe(productId);
});

test('a product is for sale with every active bump in order, the requested discount, and the first active upsell', async () => {
  const productId = await createProduct('course');
  const bare = {
    productId,
    name: 'The course',
    slug: 'course',
    priceCents: 4900,
    currency: 'eur',
    pricingType: 'onetime',
    billingInterval: null,
    ...draftAlone,
  };
  expect(await forSale('course')).toEqual(bare);
  expect(await forSale('course', 'NONE')).toEqual(bare);
  const page = { description: null, image: null, hasDiscountCodes: false };
  expect(await find(wanted({ slug: 'course', withPage: true }))).toEqual([{ ...bare, page }]);

  await createOffer(productId, 'upsell', 'Not sold', 100, 0);
  const first = await createOffer(productId, 'upsell', 'Coaching', 9900, 1);
  const second = await createOffer(productId, 'upsell', 'Cheaper, but later', 100, 1);
  const bumps = [
    await createOffer(productId, 'bump', 'Workbook', 900, 1),
    await createOffer(productId, 'bump', 'Audio', 1900, 1),
  ];
  await createOffer(productId, 'bump', 'Not sold', 100, 0);
  const discount = (code: string) =>
    catalog.request(discounts.createDiscount, {
      productId,
      body: { code, percentOff: 10, expiresAt: '2030-01-01T00:00:00Z' },
    });
  const launch = await discount('LAUNCH');
  await discount('UNNAMED');
  expect(await find(wanted({ slug: 'course', withPage: true }))).toMatchObject([{ page: { hasDiscountCodes: true } }]);

  const offered = ({ id, headline, price_cents }: typeof first) => ({
    ...{ id, headline, priceCents: price_cents },
    ...{ accessUrl: null, description: null, compareAtCents: null, image: null },
  });
  const full = { ...bare, bumps: bumps.map(offered), upsell: offered(first) };
  expect(await forSale('course')).toEqual(full);
  expect(await forSale('course', 'LAUNCH')).toEqual({
    ...full,
    discounts: [
      {
        id: launch.id,
        code: 'LAUNCH',
        percentOff: 10,
        amountOffCents: null,
        expiresAt: '2030-01-01T00:00:00.000Z',
        maxUses: null,
      },
    ],
  });

  await catalog.request(funnels.updateOffer, { productId, kind: 'upsell', offerId: first.id, body: { active: 0 } });
  expect((await forSale('course'))?.upsell).toEqual(offered(second));
});

test('the status is returned as it is, so that checkout can say why a product is not sold', async () => {
  const productId = await createProduct('states');
  for (const status of ['live', 'archived'] as const) {
    await catalog.request(products.updateProduct, { productId, body: { status } });
    expect(await forSale('states')).toMatchObject({ productId, status });
  }
});

test('products of many checkouts and accounts are answered in their order; unknown ones and those of others are null', async () => {
  const theirs = await createProduct('theirs', other);
  const shared = await createProduct('shared', other);
  const ours = await createProduct('shared');
  const answered = await find(
    wanted({ slug: 'shared' }),
    wanted({ slug: 'shared', accountId: other.accountId }),
    wanted({ slug: 'theirs' }),
    wanted({ slug: `it's "quoted"` }),
    wanted({ productId: theirs, slug: 'shared' }),
    wanted({ productId: theirs, accountId: other.accountId }),
  );
  expect(answered.map((product) => product?.productId ?? null)).toEqual([ours, shared, null, null, null, theirs]);
  expect(await find()).toEqual([]);
});

test('a product is found by its id after its slug went to another one', async () => {
  const first = await createProduct('before');
  await catalog.request(products.updateProduct, { productId: first, body: { slug: 'after' } });
  const second = await createProduct('before');
  const [byId, bySlug] = await find(wanted({ productId: first, slug: 'before' }), wanted({ slug: 'before' }));
  expect([byId?.productId, byId?.slug, bySlug?.productId]).toEqual([first, 'after', second]);
});

test('the largest products fit one answer as long as no more are wanted than a request may name', async () => {
  const { pool } = catalog.database;
  const account = 'acc_large';
  // What NUL-free text is longest in JSON: a control character is six bytes there.
  const longest = String.fromCharCode(1).repeat(200);
  await pool.query(
    `insert into products (account_id, id, name, slug, price_cents, currency, pricing_type, status, created_at, updated_at)
     select $1, 'prd_' || n, $2, 'large-' || n, 1, 'usd', 'onetime', 'live', now(), now() from generate_series(1, 50) as n`,
    [account, longest],
  );
  await pool.query(
    `insert into offers (account_id, product_id, id, kind, headline, price_cents, active)
     select $1, 'prd_' || n, 'bmp_' || n || '_' || m, 'bump', $2, 100, true
     from generate_series(1, 50) as n, generate_series(1, 100) as m`,
    [account, longest],
  );
  const all = Array.from({ length: sale.productsForSaleMax }, (_, n) =>
    wanted({ accountId: account, productId: `prd_${n + 1}` }),
  );
  const answered = await find(...all);
  expect(answered.map((product) => product?.bumps.length)).toEqual(all.map(() => 100));
  await expect(find(...all, wanted())).rejects.toMatchObject({ code: 'validation_failed' });
});
