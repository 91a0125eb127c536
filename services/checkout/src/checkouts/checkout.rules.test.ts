import type { ProductForSale } from '@app/contracts/products-for-sale';
import { plainCourse } from '@app/testing/course';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkoutOutcomeOf,
  finalItems,
  fixSale,
  priceSale,
  totalOf,
  withoutGoneBumps,
  withoutGoneCode,
} from './checkout.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';

const nowMs = Date.parse('2026-03-15T12:00:00.000Z');

const product: ProductForSale = {
  ...plainCourse,
  bumps: [
    { id: 'bmp_1', headline: 'Guide', priceCents: 1_900 },
    { id: 'bmp_2', headline: 'Call', priceCents: 5_000 },
  ],
  discounts: [{ id: 'dsc_1', code: 'ALL', percentOff: 100, amountOffCents: null, expiresAt: null, maxUses: null }],
  upsell: { id: 'ups_1', headline: 'Coaching', priceCents: 4_900 },
};
const buyer = { email: 'ada@example.com', name: null, country: null };
const nothing = { bumpIds: [], discountCode: null };

const row = (change: Partial<CheckoutRow>): CheckoutRow => ({
  ...{
    id: 'cko_1',
    account_id: 'acc_1',
    copy_of: null,
    status: 'open',
    revision: 0,
    product_id: 'prd_1',
    product_slug: 'course',
  },
  ...{ seller_name: 'Ada', support_email: '', decision_minutes: 60, test: false },
  ...{ ...buyer, email_key: buyer.email, bump_ids: [] },
  ...{ discount_code: null, affiliate_code: null, utm_source: null, utm_medium: null, utm_campaign: null },
  ...{
    utm_term: null,
    utm_content: null,
    shown_cents: 9_900,
    shown_quote: 'q',
    settings_revision: 1,
    order_id: 'ord_1',
    attempt_no: 1,
    action_url: null,
  },
  ...{ reason: null, upsell_status: null, upsell_decided: false, created_at: new Date(nowMs), sale: null },
  ...{
    repeats_order: null,
    attempt_began_at: null,
    attempt_reason: null,
    paid_at: null,
    last_four: null,
    wallet: null,
    decide_by: null,
    left_cents: 0,
  },
  ...change,
});

test('an order of 0 offers no upsell: nothing can be held', () => {
  const free = fixSale(priceSale(product, { ...nothing, discountCode: 'all' }, false, nowMs), buyer, null);
  expect([free.totalCents, free.upsell]).toEqual([0, null]);
  const paid = fixSale(priceSale(product, nothing, false, nowMs), buyer, null);
  expect(paid.upsell).toEqual({
    upsellId: 'ups_1',
    headline: 'Coaching',
    amountCents: 4_900,
    accessUrl: null,
    description: null,
    compareAtCents: null,
    image: null,
  });
});

test('what has gone since it was chosen leaves the choice, and nothing else does', () => {
  const choice = { bumpIds: ['bmp_1', 'bmp_9'], discountCode: 'all' };
  expect(withoutGoneBumps(choice, product)).toEqual({ bumpIds: ['bmp_1'], discountCode: 'all' });
  expect(withoutGoneCode(choice, product, nowMs)).toEqual(choice);
  const expired = {
    ...product.discounts[0],
    expiresAt: '2026-03-15T12:00:00.000Z',
  } as (typeof product.discounts)[number];
  const without = { ...choice, discountCode: null };
  expect(withoutGoneCode(choice, { ...product, discounts: [expired] }, nowMs)).toEqual(without);
  expect(withoutGoneCode(choice, { ...product, discounts: [] }, nowMs)).toEqual(without);
});

test('the items of an order add up to its total, with and without the upsell', () => {
  const choices = fc.record({
    bumpIds: fc.subarray(['bmp_1', 'bmp_2']),
    discountCode: fc.constantFrom('ALL', null),
  });
  fc.assert(
    fc.property(choices, fc.boolean(), (choice, bought) => {
      const sale = fixSale(priceSale(product, choice, false, nowMs), buyer, null);
      const upsell = bought ? sale.upsell : null;
      return totalOf(finalItems(sale, upsell)) === sale.totalCents + (upsell?.amountCents ?? 0);
    }),
  );
});

test('a buyer learns the order’s id once there is one, and the reason of the last decline only while it is the last', () => {
  const sale = fixSale(priceSale(product, nothing, false, nowMs), buyer, null);
  expect(checkoutOutcomeOf(row({ sale, status: 'open', reason: 'card_declined' }))).toEqual({
    status: 'declined',
    totalCents: 9_900,
    reason: 'card_declined',
  });
  expect(checkoutOutcomeOf(row({ sale, status: 'processing' }))).toEqual({ status: 'processing', totalCents: 9_900 });
  expect(checkoutOutcomeOf(row({ sale, status: 'paid', upsell_status: 'accepted' }))).toEqual({
    status: 'paid',
    orderId: 'ord_1',
    totalCents: 14_800,
    upsell: {
      id: 'ups_1',
      headline: 'Coaching',
      description: null,
      amountCents: 4_900,
      expiresAt: null,
      status: 'accepted',
    },
  });
});
