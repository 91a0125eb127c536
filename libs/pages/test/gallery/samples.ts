import type { OrderResource } from '@app/contracts/orders';
import { simulatedCard } from '../../src/checkout/cards.ts';
import type { PageOf, Product, Purchase, Shop } from '../../src/checkout/model.ts';
import type { OrderContent } from '../../src/checkout/order-page.ts';
import { formatsFor } from '../../src/formats.ts';

/** Longer than any name of a real product, without a break. */
export const longName = `${'The complete and unabridged course in watercolour, with '.repeat(3)}${'x'.repeat(40)}`;
/** Read from right to left. */
export const arabicName = 'دورة الرسم بالألوان المائية';

/** What an order has of the course with the workbook, less a discount. */
export const boughtItems: OrderResource['items'] = [
  {
    kind: 'main',
    label: 'Watercolour in 30 days',
    amount_cents: 14_900,
    id: 'prd_1',
    access_url: 'https://atelier.example/watercolour',
  },
  {
    kind: 'bump',
    label: 'The workbook, printed',
    amount_cents: 1_900,
    id: 'bmp_1',
    access_url: 'https://atelier.example/workbook',
  },
  { kind: 'discount', label: 'SPRING', amount_cents: -2_235, id: 'dsc_1', access_url: null },
];

const shop: Shop = {
  handle: 'atelier',
  name: 'Ada’s Atelier',
  logoUrl: null,
  accentColor: null,
  supportEmail: 'help@atelier.example',
  termsUrl: 'https://atelier.example/terms',
  refundPolicyUrl: 'https://atelier.example/refunds',
  portalCancel: false,
  withdrawalDays: 14,
  immediateAccessConsent: false,
};
const product: Product = {
  name: 'Watercolour in 30 days',
  description: 'Thirty short lessons, from the first wash to a finished landscape. Yours to keep.',
  imageUrl: null,
  billingInterval: null,
};

export const purchase: Purchase = {
  shop,
  product,
  lines: [{ kind: 'main', label: product.name, amountCents: 14_900 }],
  totalCents: 14_900,
  currency: 'usd',
  isTest: false,
};

/** The same with another name and description of the product, or in another rhythm. */
export function purchaseOf(changes: Partial<Product>, amountCents = 14_900, currency = 'usd'): Purchase {
  const changed = Object.assign({}, product, changes);
  return Object.assign({}, purchase, {
    product: changed,
    lines: [{ kind: 'main', label: changed.name, amountCents }],
    totalCents: amountCents,
    currency,
  });
}

export const order: OrderContent = {
  bumps: [
    {
      id: 'bmp_1',
      headline: 'The workbook, printed',
      description: 'Forty exercises.',
      priceCents: 1_900,
      compareAtCents: null,
      imageUrl: null,
      chosen: true,
    },
    {
      id: 'bmp_2',
      headline: 'A box of twelve colours',
      description: null,
      priceCents: 4_900,
      compareAtCents: null,
      imageUrl: null,
      chosen: false,
    },
  ],
  values: { email: '', name: '', country: 'GB', code: '', card: 'sim_ok' },
  errors: {},
  notice: null,
  takesCodes: true,
  appliedCode: null,
  refusedCode: '',
  quote: 'quote',
  requestsRepeat: false,
  card: simulatedCard,
  savesCard: false,
  countries: [
    ['FR', 'France'],
    ['DE', 'Germany'],
    ['GB', 'United Kingdom'],
  ],
};

/** A page of the samples around some content. */
export const samplePageOf = <Content>(content: Content, of = purchase, languages = 'en-US'): PageOf<Content> => ({
  purchase: of,
  post: { action: '/c/atelier/watercolour', key: 'key', productId: 'prd_1' },
  formats: formatsFor(languages),
  content,
});
