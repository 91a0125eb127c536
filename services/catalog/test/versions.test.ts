import { createDiscount, updateDiscount } from '@app/contracts/discounts';
import {
  createFunnelEmail,
  createOffer,
  deleteOfferImage,
  putOfferImage,
  updateFunnelEmail,
  updateOffer,
} from '@app/contracts/funnels';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { createProduct, deleteProductImage, updateProduct } from '@app/contracts/products';
import { beforeAll, expect, test } from 'vitest';
import { catalog, startService } from './set-up.ts';

/** Guarantee: of updates that were made from one version, one takes effect, and the others change nothing. */
startService();
let productId: string;
beforeAll(async () => {
  const guide = { name: 'Guide', slug: 'guide', priceCents: 4900, pricingType: 'onetime' as const };
  ({ id: productId } = await catalog.request(createProduct, { body: guide, defaultCurrency: 'eur' }));
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Versioned {
  readonly id: string;
  readonly version: number;
}
/** From a version, or from whatever version there is. */
type Update = (id: string, n: number, ifVersion?: number, commandId?: string) => Promise<Versioned>;

const from = (ifVersion: number | undefined) => (ifVersion === undefined ? {} : { ifVersion });
const context = (commandId = newIdSuffix(Date.now())) => ({ commandId });
type Kind = 'product' | 'bump' | 'upsell' | 'email' | 'discount';
const kinds: readonly Kind[] = ['product', 'bump', 'upsell', 'email', 'discount'];

const create: Readonly<Record<Kind, () => Promise<Versioned>>> = {
  product: () => {
    const body = { name: 'Book', slug: 'book', priceCents: 100, pricingType: 'onetime' as const };
    return catalog.request(createProduct, { body, defaultCurrency: 'eur' });
  },
  bump: () => catalog.request(createOffer, { productId, kind: 'bump', body: { headline: 'A', priceCents: 100 } }),
  upsell: () => catalog.request(createOffer, { productId, kind: 'upsell', body: { headline: 'A', priceCents: 100 } }),
  email: () => {
    const body = { position: 1, sendDay: 0, subject: 'Hello', body: 'Text' };
    return catalog.request(createFunnelEmail, { productId, body });
  },
  discount: () => catalog.request(createDiscount, { productId, body: { code: 'TEN', percentOff: 10 } }),
};
const update: Readonly<Record<Kind, Update>> = {
  product: (id, n, ifVersion, commandId) =>
    catalog.request(updateProduct, { productId: id, body: { priceCents: n }, ...from(ifVersion) }, context(commandId)),
  bump: (offerId, n, ifVersion, commandId) => {
    const input = { productId, kind: 'bump' as const, offerId, body: { priceCents: n }, ...from(ifVersion) };
    return catalog.request(updateOffer, input, context(commandId));
  },
  upsell: (offerId, n, ifVersion, commandId) => {
    const input = { productId, kind: 'upsell' as const, offerId, body: { priceCents: n }, ...from(ifVersion) };
    return catalog.request(updateOffer, input, context(commandId));
  },
  email: (emailId, n, ifVersion, commandId) => {
    const input = { productId, emailId, body: { sendDay: n }, ...from(ifVersion) };
    return catalog.request(updateFunnelEmail, input, context(commandId));
  },
  discount: (discountId, n, ifVersion, commandId) => {
    const input = { productId, discountId, body: { maxUses: n }, ...from(ifVersion) };
    return catalog.request(updateDiscount, input, context(commandId));
  },
};

test.each(kinds)('of two updates of one version of a %s at once, one takes effect', async (kind) => {
  const change = update[kind];
  const { id, version } = await create[kind]();
  expect(version).toBe(1);
  const both = await Promise.allSettled([change(id, 1, 1), change(id, 2, 1)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const [won, lost] = both.toSorted((one) => (one.status === 'fulfilled' ? -1 : 1));
  expect(won).toMatchObject({ value: { id, version: 2 } });
  expect(lost).toMatchObject({ reason: { code: 'version_changed' } });
  // The winner's values stand: the next update, made from whatever version there is, answers with them but for its own field.
  const { version: _, ...kept } = (won as PromiseFulfilledResult<Versioned>).value;
  const n = both[0].status === 'fulfilled' ? 1 : 2;
  const next = await change(id, n);
  expect(next).toMatchObject({ version: 3 });
  const { updated_at: _then, ...same } = kept as Versioned & { updated_at?: string };
  expect(next).toMatchObject(same);
});

test.each(['bump', 'upsell'] as const)(
  'an update of a %s that comes again answers as before, though the version has moved on by it',
  async (kind) => {
    const change = update[kind];
    const { id } = await create[kind]();
    const commandId = newIdSuffix(Date.now());
    const first = await change(id, 7, 1, commandId);
    expect(await change(id, 7, 1, commandId)).toEqual(first);
  },
);

test('a picture of an offer is no part of its version either, and is never another account’s', async () => {
  const { id: offerId, version } = await create.bump();
  const of = { productId, offerId };
  await catalog.request(putOfferImage, { ...of, body: { data: onePixel } });
  const body = { priceCents: 7 };
  expect(await catalog.request(updateOffer, { ...of, kind: 'bump', body, ifVersion: version })).toMatchObject({
    version: version + 1,
    image_url: expect.stringMatching(/\.png$/),
  });
  const stranger = { accountId: 'acc_01kex0000000000000000000zz' };
  const put = catalog.request(putOfferImage, { ...of, body: { data: onePixel } }, stranger);
  await expect(put).rejects.toMatchObject({ code: 'product_not_found' });
  await expect(catalog.request(deleteOfferImage, of, stranger)).rejects.toMatchObject({ code: 'product_not_found' });
  const unknown = { ...of, offerId: newId('upsell', Date.now()) };
  await expect(catalog.request(deleteOfferImage, unknown)).rejects.toMatchObject({ code: 'offer_not_found' });
  expect(await catalog.request(deleteOfferImage, of)).toEqual({ ok: true });
});

test('a picture is no part of the version: its own operation replaces it', async () => {
  const before = await catalog.request(updateProduct, { productId, body: { priceCents: 5 } });
  await catalog.request(deleteProductImage, { productId });
  const after = await catalog.request(updateProduct, { productId, body: { priceCents: 6 }, ifVersion: before.version });
  expect(after.version).toBe(before.version + 1);
});
