import { DomainError } from '@app/contracts/errors';
import type { CreateOrderBody } from '@app/contracts/orders';
import type { PricedProduct } from '@app/contracts/products-for-sale';
import { plainCourse } from '@app/testing/course';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideSale, discountCents } from './order.rules.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

const product: PricedProduct = {
  ...plainCourse,
  name: 'Watercolour course',
  slug: 'watercolour',
  bumps: [
    { id: 'bmp_1', headline: 'Brush guide', priceCents: 1_900 },
    { id: 'bmp_2', headline: 'Paper guide', priceCents: 900 },
  ],
  discounts: [
    { id: 'dsc_1', code: 'AUTUMN', percentOff: 15, amountOffCents: null, expiresAt: null, maxUses: null },
    {
      id: 'dsc_2',
      code: 'PAST',
      percentOff: 50,
      amountOffCents: null,
      expiresAt: '2026-11-20T12:00:00.000Z',
      maxUses: null,
    },
    { id: 'dsc_3', code: 'HUGE', percentOff: null, amountOffCents: 1_000_000, expiresAt: null, maxUses: null },
  ],
};
const body: CreateOrderBody = { productSlug: 'watercolour', email: 'ada@example.com' };

function refusalOf(change: Partial<CreateOrderBody>, of: PricedProduct | null = product): DomainError {
  try {
    decideSale({ ...body, ...change }, of, false, now);
  } catch (err) {
    if (err instanceof DomainError) return err;
    throw err;
  }
  throw new Error('the sale was not refused');
}

test('an order holds the product, each wanted bump once in the requested order, and adds up', () => {
  const sale = decideSale({ ...body, bumpIds: ['bmp_2', 'bmp_1', 'bmp_2'] }, product, false, now);
  expect(sale.items).toEqual([
    { kind: 'main', label: 'Watercolour course', amount_cents: 9_900, id: product.productId, access_url: null },
    { kind: 'bump', label: 'Paper guide', amount_cents: 900, id: 'bmp_2', access_url: null },
    { kind: 'bump', label: 'Brush guide', amount_cents: 1_900, id: 'bmp_1', access_url: null },
  ]);
  expect(sale.totalCents).toBe(12_700);
});

test('a discount is a negative line of its own, half up, on the product alone', () => {
  const sale = decideSale({ ...body, bumpIds: ['bmp_1'], discountCode: 'autumn' }, product, false, now);
  expect(sale.items.at(-1)).toEqual({
    kind: 'discount',
    label: 'AUTUMN',
    amount_cents: -1_485,
    id: 'dsc_1',
    access_url: null,
  });
  expect(sale.totalCents).toBe(9_900 + 1_900 - 1_485);
});

test('a discount larger than the price makes the product free, never the total negative', () => {
  expect(decideSale({ ...body, discountCode: 'HUGE' }, product, false, now).totalCents).toBe(0);
});

test('each refusal names its code and field', () => {
  expect(refusalOf({}, null)).toMatchObject({
    code: 'unknown_product',
    errors: [{ field: 'productSlug', code: 'product_not_found' }],
  });
  expect(refusalOf({}, { ...product, status: 'draft' })).toMatchObject({
    code: 'product_not_live',
    errors: [{ field: 'productSlug' }],
  });
  expect(refusalOf({ bumpIds: ['bmp_1', 'bmp_9'] })).toMatchObject({
    code: 'bump_not_found',
    errors: [{ field: 'bumpIds.1' }],
  });
  expect(refusalOf({ discountCode: 'NONE' })).toMatchObject({
    code: 'discount_invalid',
    errors: [{ field: 'discountCode' }],
  });
  expect(refusalOf({ discountCode: 'PAST' })).toMatchObject({ code: 'discount_invalid' });
});

test('an order is a test order in test mode unless it says otherwise, and otherwise when it says so', () => {
  expect(decideSale(body, product, true, now).test).toBe(true);
  expect(decideSale({ ...body, test: false }, product, true, now).test).toBe(false);
  expect(decideSale({ ...body, test: true }, product, false, now).test).toBe(true);
});

test('a discount never takes more than the price, and a total is never below zero', () => {
  const discount = fc.oneof(
    fc.record({ percentOff: fc.integer({ min: 1, max: 100 }), amountOffCents: fc.constant(null) }),
    fc.record({ percentOff: fc.constant(null), amountOffCents: fc.integer({ min: 1, max: 9_999_999_999 }) }),
  );
  fc.assert(
    fc.property(discount, fc.integer({ min: 0, max: 9_999_999_999 }), (terms, priceCents) => {
      const off = discountCents(terms, priceCents);
      expect(off).toBeGreaterThanOrEqual(0);
      expect(off).toBeLessThanOrEqual(priceCents);
    }),
  );
});
