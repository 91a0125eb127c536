import * as contract from '@app/contracts/catalog';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogHarness, startCatalog } from './harness.ts';

guardLeaks();
let catalog: CatalogHarness;
beforeAll(async () => {
  catalog = await startCatalog();
});
afterAll(() => catalog.close());

const other = { accountId: 'acc_01kex0000000000000000000bb' };
const forSale = (slug: string, discountCode: string | null = null) =>
  catalog.ask(contract.getProductForSale, { slug, discountCode });

async function createProduct(slug: string, context = {}): Promise<string> {
  const body = { name: `The ${slug}`, slug, priceCents: 4900, pricingType: 'onetime' as const };
  return (await catalog.ask(contract.createProduct, { body, defaultCurrency: 'eur' }, context)).id;
}

const createOffer = (
  productId: string,
  kind: contract.OfferKind,
  headline: string,
  priceCents: number,
  active: 0 | 1,
) => catalog.ask(contract.createOffer, { productId, kind, body: { headline, priceCents, active } });

test('a product is for sale with every active bump in order, the discount asked for, and the first active upsell', async () => {
  const productId = await createProduct('course');
  const bare = {
    productId,
    name: 'The course',
    slug: 'course',
    priceCents: 4900,
    currency: 'eur',
    pricingType: 'onetime',
    billingInterval: null,
    status: 'draft',
    accessUrl: null,
    bumps: [],
    discounts: [],
    upsell: null,
  };
  expect(await forSale('course')).toEqual(bare);
  expect(await forSale('course', 'NONE')).toEqual(bare);

  await createOffer(productId, 'upsell', 'Not sold', 100, 0);
  const first = await createOffer(productId, 'upsell', 'Coaching', 9900, 1);
  const second = await createOffer(productId, 'upsell', 'Cheaper, but later', 100, 1);
  const bumps = [
    await createOffer(productId, 'bump', 'Workbook', 900, 1),
    await createOffer(productId, 'bump', 'Audio', 1900, 1),
  ];
  await createOffer(productId, 'bump', 'Not sold', 100, 0);
  const discount = (code: string) =>
    catalog.ask(contract.createDiscount, {
      productId,
      body: { code, percentOff: 10, expiresAt: '2030-01-01T00:00:00Z' },
    });
  const launch = await discount('LAUNCH');
  await discount('UNASKED');

  const offered = ({ id, headline, price_cents }: typeof first) => ({ id, headline, priceCents: price_cents });
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

  await catalog.ask(contract.updateOffer, { productId, kind: 'upsell', offerId: first.id, body: { active: 0 } });
  expect((await forSale('course')).upsell).toEqual(offered(second));
});

test('the status is returned as it is, so that checkout can say why a product is not sold', async () => {
  const productId = await createProduct('states');
  for (const status of ['live', 'archived'] as const) {
    await catalog.ask(contract.updateProduct, { productId, body: { status } });
    expect(await forSale('states')).toMatchObject({ productId, status });
  }
});

test('an unknown slug and a slug of another account are the same product_not_found', async () => {
  await createProduct('theirs', other);
  await createProduct('shared', other);
  const ours = await createProduct('shared');
  expect(await forSale('shared')).toMatchObject({ productId: ours });
  for (const slug of ['unknown', 'theirs', `it's "quoted"`]) {
    await expect(forSale(slug)).rejects.toMatchObject({ code: 'product_not_found' });
  }
});
