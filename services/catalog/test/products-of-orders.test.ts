import * as discounts from '@app/contracts/discounts';
import * as funnels from '@app/contracts/funnels';
import * as products from '@app/contracts/products';
import * as sale from '@app/contracts/products-for-sale';
import { patiently } from '@app/testing/patiently';
import { expect, test } from 'vitest';
import { draftAlone } from './harness.ts';
import { catalog, startService } from './set-up.ts';

startService();

const noAccount = { accountId: '' };
type Wanted = Partial<sale.WantedForSale> & { accountId: string; slug: string };
const resolve = async (wanted: Wanted[]) => {
  const complete = wanted.map((one) => ({ productId: null, bumpIds: [], discountCodes: [], ...one }));
  return (await catalog.request(patiently(sale.findProductsForSale), { wanted: complete }, noAccount)).products;
};

async function createProduct(slug: string, accountId: string): Promise<string> {
  const body = {
    name: `The ${slug}`,
    slug,
    priceCents: 4900,
    pricingType: 'subscription' as const,
    billingInterval: 'year' as const,
  };
  return (await catalog.request(products.createProduct, { body, defaultCurrency: 'usd' }, { accountId })).id;
}

test('each wanted pair is answered at its position, for its own account, null when there is no such slug', async () => {
  const [ours, theirs] = ['acc_01kex0000000000000000000aa', 'acc_01kex0000000000000000000bb'];
  const ourId = await createProduct('same', ours);
  const theirId = await createProduct('same', theirs);
  await createProduct('only-ours', ours);
  const products = await resolve([
    { accountId: theirs, slug: 'only-ours' },
    { accountId: ours, slug: 'same' },
    { accountId: theirs, slug: 'same' },
    { accountId: ours, slug: 'same' },
    { accountId: ours, slug: `it's "quoted"` },
  ]);
  expect(products.map((product) => product?.productId ?? null)).toEqual([null, ourId, theirId, ourId, null]);
  expect(await resolve([])).toEqual([]);
});

test('the response has the product and the requested bumps and codes that can be sold, as they are right now', async () => {
  const { accountId } = catalog;
  const productId = await createProduct('full', accountId);
  const wanted = [{ accountId, slug: 'full' }];
  const bare = {
    productId,
    name: 'The full',
    slug: 'full',
    priceCents: 4900,
    currency: 'usd',
    pricingType: 'subscription',
    billingInterval: 'year',
    ...draftAlone,
  };
  expect(await resolve(wanted)).toEqual([bare]);
  const offer = (kind: funnels.OfferKind, active: 0 | 1) =>
    catalog.request(funnels.createOffer, {
      productId,
      kind,
      body: { headline: `${kind} ${active}`, priceCents: 700, active },
    });
  const bumps = [await offer('bump', 1), await offer('bump', 1)];
  await offer('bump', 1);
  const unsold = [await offer('bump', 0), await offer('upsell', 1)];
  const discount = (body: {
    code: string;
    percentOff?: number;
    amountOffCents?: number;
    expiresAt?: string;
    maxUses?: number;
  }) => catalog.request(discounts.createDiscount, { productId, body });
  const expired = await discount({ code: 'OLD', percentOff: 50, expiresAt: '2027-01-01T00:00:00.5Z' });
  const fixed = await discount({ code: 'TEN', amountOffCents: 1000, maxUses: 3 });
  await discount({ code: 'UNNAMED', percentOff: 1 });
  await catalog.request(products.updateProduct, {
    productId,
    body: { priceCents: 1, status: 'live', accessUrl: 'https://x.test/' },
  });
  const now = { ...bare, priceCents: 1, status: 'live', accessUrl: 'https://x.test/' };
  expect(await resolve(wanted)).toEqual([now]);
  const bumpIds = ['bmp_unknown', ...[...unsold, ...bumps].map(({ id }) => id), bumps[0]?.id ?? ''];
  expect(await resolve([{ accountId, slug: 'full', bumpIds, discountCodes: ['TEN', 'NONE', 'OLD'] }])).toEqual([
    {
      ...now,
      bumps: bumps.map(({ id }) => ({
        ...{ id, headline: 'bump 1', priceCents: 700 },
        ...{ accessUrl: null, description: null, compareAtCents: null, image: null },
      })),
      discounts: [
        {
          id: expired.id,
          code: 'OLD',
          percentOff: 50,
          amountOffCents: null,
          expiresAt: '2027-01-01T00:00:00.500Z',
          maxUses: null,
        },
        { id: fixed.id, code: 'TEN', percentOff: null, amountOffCents: 1000, expiresAt: null, maxUses: 3 },
      ],
    },
  ]);
});

test('what the orders of the fullest request name is answered, however much their products have and however long its text is', async () => {
  const accountId = 'acc_01kex0000000000000000000cc';
  const longest = '\u0001'.repeat(200);
  const { pool } = catalog.database;
  await pool.query(
    `insert into products (account_id, id, name, slug, price_cents, currency, pricing_type, status, access_url, created_at, updated_at)
     select $1, 'prd_' || n, $2, 'big-' || n, 9999999999, 'usd', 'onetime', 'live', $3, now(), now() from generate_series(1, 50) n`,
    [accountId, longest, `https://${'é'.repeat(2_040)}`],
  );
  await pool.query(
    `insert into offers (account_id, product_id, id, kind, headline, price_cents, active)
     select account_id, id, 'bmp_0000000000000000000000' || 1000 + n, 'bump', $2, 9999999999, true
     from products, generate_series(1, 100) n where account_id = $1`,
    [accountId, longest],
  );
  await pool.query(
    `insert into discounts (account_id, product_id, id, code, amount_off_cents, expires_at, max_uses, created_at)
     select account_id, id, 'dsc_' || n, rpad('CODE' || n, 50, 'X'), 9999999999, now(), 1000000000, now()
     from products, generate_series(1, 100) n where account_id = $1`,
    [accountId],
  );
  const bumpIds = Array.from({ length: 50 }, (_, n) => `bmp_0000000000000000000000${1001 + n}`);
  const wanted = Array.from({ length: sale.productsForSaleMax }, (_, n) => ({
    accountId,
    slug: `big-${n + 1}`,
    bumpIds,
    discountCodes: ['CODE7'.padEnd(50, 'X')],
  }));
  const products = await resolve(wanted);
  expect(products.map((product) => [product?.bumps.length, product?.discounts.length])).toEqual(
    Array(50).fill([50, 1]),
  );
  expect(Buffer.byteLength(JSON.stringify(products))).toBeGreaterThan(3_000_000);
});
