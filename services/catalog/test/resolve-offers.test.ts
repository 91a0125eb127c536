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

const nobody = { accountId: '' };
const resolve = async (wanted: { accountId: string; slug: string }[]) =>
  (await catalog.ask(contract.resolveOffers, { wanted }, nobody)).offers;

async function createProduct(slug: string, accountId: string): Promise<string> {
  const body = {
    name: `The ${slug}`,
    slug,
    priceCents: 4900,
    pricingType: 'subscription' as const,
    billingInterval: 'year' as const,
  };
  return (await catalog.ask(contract.createProduct, { body, defaultCurrency: 'usd' }, { accountId })).id;
}

test('each wanted pair is answered in its place, for its own account, null when there is no such slug', async () => {
  const [ours, theirs] = ['acc_01kex0000000000000000000aa', 'acc_01kex0000000000000000000bb'];
  const ourId = await createProduct('same', ours);
  const theirId = await createProduct('same', theirs);
  await createProduct('only-ours', ours);
  const offers = await resolve([
    { accountId: theirs, slug: 'only-ours' },
    { accountId: ours, slug: 'same' },
    { accountId: theirs, slug: 'same' },
    { accountId: ours, slug: 'same' },
    { accountId: ours, slug: `it's "quoted"` },
  ]);
  expect(offers.map((offer) => offer?.productId ?? null)).toEqual([null, ourId, theirId, ourId, null]);
  expect(await resolve([])).toEqual([]);
});

test('an offer holds the product with its active bumps and all its discounts, as they are right now', async () => {
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
    status: 'draft',
    accessUrl: null,
    bumps: [],
    discounts: [],
  };
  expect(await resolve(wanted)).toEqual([bare]);
  const offer = (kind: contract.OfferKind, active: 0 | 1) =>
    catalog.ask(contract.createOffer, {
      productId,
      kind,
      body: { headline: `${kind} ${active}`, priceCents: 700, active },
    });
  const bumps = [await offer('bump', 1), await offer('bump', 1)];
  await offer('bump', 0);
  await offer('upsell', 1);
  const discount = (body: {
    code: string;
    percentOff?: number;
    amountOffCents?: number;
    expiresAt?: string;
    maxUses?: number;
  }) => catalog.ask(contract.createDiscount, { productId, body });
  const expired = await discount({ code: 'OLD', percentOff: 50, expiresAt: '2020-01-01T00:00:00.5Z' });
  const fixed = await discount({ code: 'TEN', amountOffCents: 1000, maxUses: 3 });
  await catalog.ask(contract.updateProduct, {
    productId,
    body: { priceCents: 1, status: 'live', accessUrl: 'https://x.test/' },
  });
  expect(await resolve(wanted)).toEqual([
    {
      ...bare,
      priceCents: 1,
      status: 'live',
      accessUrl: 'https://x.test/',
      bumps: bumps.map(({ id }) => ({ id, headline: 'bump 1', priceCents: 700 })),
      discounts: [
        {
          id: expired.id,
          code: 'OLD',
          percentOff: 50,
          amountOffCents: null,
          expiresAt: '2020-01-01T00:00:00.500Z',
          maxUses: null,
        },
        { id: fixed.id, code: 'TEN', percentOff: null, amountOffCents: 1000, expiresAt: null, maxUses: 3 },
      ],
    },
  ]);
});
