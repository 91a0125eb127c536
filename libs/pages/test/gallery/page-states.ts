import type { ShownProduct } from '@app/contracts/checkout-offers';
import { bankPage } from '../../src/checkout/bank-page.ts';
import { simulatedCard } from '../../src/checkout/cards.ts';
import {
  archivedPage,
  busyFormPage,
  busyPage,
  failedPage,
  notForSalePage,
  optedOutPage,
  optOutPage,
  restorePage,
  unknownProductPage,
  unknownShopPage,
  unknownTokenPage,
  usedLinkPage,
} from '../../src/checkout/notice-pages.ts';
import { fieldErrors, orderNotices } from '../../src/checkout/order-page.texts.ts';
import { type OrderContent, orderPage } from '../../src/checkout/order-page.ts';
import { processingPage } from '../../src/checkout/processing-page.ts';
import { shopPage } from '../../src/checkout/shop-page.ts';
import { endedPage, type ThanksContent, thanksPage } from '../../src/checkout/thanks-page.ts';
import { type UpsellContent, upsellPage } from '../../src/checkout/upsell-page.ts';
import { formatsFor } from '../../src/formats.ts';
import type { Html } from '../../src/html.ts';
import { arabicName, longName, order, purchase, purchaseOf, samplePageOf } from './samples.ts';

const orderOf = (changes: Partial<OrderContent>): OrderContent => Object.assign({}, order, changes);
const orderValues = (changes: Partial<OrderContent['values']>): OrderContent['values'] =>
  Object.assign({}, order.values, changes);

const withBumps = Object.assign({}, purchase, {
  lines: [
    { kind: 'main', label: 'Watercolour in 30 days', amountCents: 14_900 },
    { kind: 'bump', label: 'The workbook, printed', amountCents: 1_900 },
    { kind: 'discount', label: 'SPRING', amountCents: -2_235 },
  ],
  totalCents: 14_565,
});

const upsell: UpsellContent = {
  headline: 'A year of live classes',
  description: 'Every Thursday at 18:00, with time for your own pictures. The recordings are yours.',
  amountCents: 2_900,
  compareAtCents: null,
  imageUrl: null,
  expiresAt: '2026-11-23T12:58:00.000Z',
  now: '2026-11-23T12:00:00.000Z',
  notice: null,
};

const thanks: ThanksContent = {
  orderId: 'ord_01jd2q5v8kfw9s3x6z7yabcdef',
  paidAt: '2026-11-23T12:00:00.000Z',
  cardName: 'Card ending in 4242',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  bought: [{ label: 'Watercolour in 30 days', href: 'https://atelier.example/watercolour' }],
  isUpsellDeclined: false,
  portalUrl: '/p/atelier',
};

const shown = (changes: Partial<ShownProduct>): ShownProduct =>
  Object.assign(
    {
      ...{ id: 'prd_1', name: 'Watercolour in 30 days', priceCents: 14_900, currency: 'usd' },
      ...{ pricingType: 'onetime', billingInterval: null, imageUrl: null, checkoutUrl: '/c/atelier/watercolour' },
    } as const,
    changes,
  );

/** The seller asks buyers to give up the right to withdraw. */
function asking(content: OrderContent): Html {
  const shop = Object.assign({}, purchase.shop, { immediateAccessConsent: true });
  return orderPage(Object.assign({}, samplePageOf(content), { purchase: Object.assign({}, purchase, { shop }) }));
}

/** Every page of a purchase, and each of its states. */
export const pageStates: Readonly<Record<string, () => Html>> = {
  'order-consent': () => asking(orderOf({})),
  'order-consent-error': () => asking(orderOf({ errors: { agrees: fieldErrors.agrees ?? '' } })),
  'order-empty': () => orderPage(samplePageOf(orderOf({ bumps: [] }))),
  'order-full': () =>
    orderPage(
      samplePageOf(
        orderOf({ appliedCode: 'SPRING', values: orderValues({ email: 'ada@gmial.com', name: 'Ada Lovelace' }) }),
        withBumps,
      ),
    ),
  'order-picture': () =>
    orderPage(
      samplePageOf(
        orderOf({ appliedCode: 'SPRING' }),
        Object.assign({}, withBumps, { product: purchaseOf({ name: longName, imageUrl: '/picture.svg' }).product }),
      ),
    ),
  'order-bumps-pictured': () =>
    orderPage(
      samplePageOf(
        orderOf({
          bumps: [
            ...order.bumps.map((bump) =>
              Object.assign({}, bump, { imageUrl: '/picture.svg', compareAtCents: 123_400 }),
            ),
            Object.assign({}, order.bumps[1], {
              id: 'bmp_3',
              headline: longName,
              description: longName,
              imageUrl: '/picture.svg',
            }),
          ],
        }),
      ),
    ),
  'order-errors': () =>
    orderPage(
      samplePageOf(
        orderOf({
          values: orderValues({ email: 'ada', code: 'NO-SUCH-CODE' }),
          errors: { email: fieldErrors.email ?? '', code: fieldErrors.code ?? '' },
          notice: { meaning: 'info', text: orderNotices.code_refused },
        }),
      ),
    ),
  'order-declined': () =>
    orderPage(samplePageOf(orderOf({ notice: { meaning: 'bad', text: orderNotices.card_declined } }))),
  'order-repeated': () =>
    orderPage(
      samplePageOf(orderOf({ requestsRepeat: true, notice: { meaning: 'info', text: orderNotices.already_bought } })),
    ),
  'order-free': () => orderPage(samplePageOf(orderOf({ bumps: [], card: null }), purchaseOf({}, 0))),
  'order-subscription': () => orderPage(samplePageOf(orderOf({}), purchaseOf({ billingInterval: 'month' }))),
  'order-test': () => orderPage(samplePageOf(orderOf({}), Object.assign({}, purchase, { isTest: true }))),
  'order-long': () =>
    orderPage(samplePageOf(orderOf({}), purchaseOf({ name: longName, description: longName }, 123_456_789), 'de-DE')),
  'order-yen': () => orderPage(samplePageOf(orderOf({}), purchaseOf({}, 14_900, 'jpy'), 'ja')),
  'order-right-to-left': () =>
    orderPage(
      samplePageOf(orderOf({}), purchaseOf({ name: arabicName, description: arabicName }, 14_900, 'kwd'), 'ar-KW'),
    ),
  bank: () =>
    bankPage(
      samplePageOf({
        confirming: { url: '/bank' },
        card: simulatedCard,
        chosenCard: 'sim_ok',
        quote: 'quote',
        notice: null,
      }),
    ),
  'bank-declined': () =>
    bankPage(
      samplePageOf({
        confirming: { url: '/bank' },
        card: simulatedCard,
        chosenCard: 'sim_ok',
        quote: 'quote',
        notice: orderNotices.card_declined,
      }),
    ),
  processing: () => processingPage(samplePageOf({ nextUrl: '/c/atelier/watercolour?check=1', checks: 0 })),
  'processing-long': () => processingPage(samplePageOf({ nextUrl: '/c/atelier/watercolour?check=21', checks: 20 })),
  'shop-page': () =>
    shopPage({
      shop: purchase.shop,
      products: [
        shown({ imageUrl: '/picture.svg' }),
        shown({ name: longName, billingInterval: 'month' }),
        shown({ name: arabicName, priceCents: 0, imageUrl: '/picture.svg' }),
      ],
      first: '/c/atelier',
      next: '/c/atelier?before=prd_1',
      formats: formatsFor('en-US'),
    }),
  upsell: () => upsellPage(samplePageOf(upsell)),
  'upsell-picture': () => upsellPage(samplePageOf(upsell, purchaseOf({ imageUrl: '/picture.svg' }))),
  'upsell-own-picture': () =>
    upsellPage(samplePageOf(Object.assign({}, upsell, { imageUrl: '/picture.svg', compareAtCents: 4_900 }))),
  'upsell-over': () =>
    upsellPage(samplePageOf(Object.assign({}, upsell, { headline: longName, now: upsell.expiresAt }))),
  thanks: () => thanksPage(samplePageOf(thanks, withBumps)),
  'thanks-links': () =>
    thanksPage(
      samplePageOf(
        Object.assign({}, thanks, {
          bought: [
            ...thanks.bought,
            { label: longName, href: 'https://atelier.example/workbook' },
            { label: arabicName, href: 'https://atelier.example/classes' },
            { label: 'The workbook, printed', href: null },
          ],
        }),
        withBumps,
      ),
    ),
  'thanks-one-link': () =>
    thanksPage(
      samplePageOf(
        Object.assign({}, thanks, {
          bought: [
            { label: 'Watercolour in 30 days', href: null },
            { label: 'The workbook', href: 'https://atelier.example/workbook' },
          ],
        }),
        withBumps,
      ),
    ),
  'thanks-subscription': () =>
    thanksPage(
      samplePageOf(
        Object.assign({}, thanks, { name: '', bought: [{ label: longName, href: null }], isUpsellDeclined: true }),
        purchaseOf({ billingInterval: 'year', name: longName }),
      ),
    ),
  refunded: () => endedPage(samplePageOf({ isRefunded: true })),
  expired: () => endedPage(samplePageOf({ isRefunded: false })),
  'no-shop': () => unknownShopPage().body,
  'no-product': () => unknownProductPage().body,
  'not-for-sale': () => notForSalePage().body,
  archived: () => archivedPage().body,
  busy: () => busyPage(20).body,
  'busy-form': () => busyFormPage(20, '/c/atelier/watercolour', [['email', 'ada@example.com']]).body,
  failed: () => failedPage('The service behind this page does not answer. Try again in a minute.', 'req_1').body,
  'opt-out': () => optOutPage('Ada’s Atelier').body,
  'opted-out': () => optedOutPage('').body,
  'unknown-link': () => unknownTokenPage().body,
  restore: () => restorePage({ product: 'Watercolour Course', seller: 'Ada’s Atelier' }).body,
  'used-link': () => usedLinkPage('The checkout of this link was paid.', '/c/atelier/watercolour', '/p/atelier').body,
};
