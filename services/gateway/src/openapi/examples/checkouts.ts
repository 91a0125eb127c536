import { orderId } from './orders.ts';
import { productId } from './products.ts';

const checkout = {
  id: 'cko_01kahv7v0zc3k6n9q2s5w8a1ef',
  status: 'open',
  product: { name: 'Watercolour Course', slug: 'watercolour-course', pricingType: 'onetime', billingInterval: null },
  seller: { name: 'Maya Paints', supportEmail: 'help@mayapaints.example' },
  bumps: [
    {
      id: 'bmp_01kaf2m4q7s9v1x3z5b7d9f1hj',
      headline: 'Printable workbook',
      description: 'Forty exercises to print, one for each lesson.',
      priceCents: 1900,
      compareAtCents: null,
      imageUrl: null,
      chosen: true,
    },
  ],
  lines: [
    { kind: 'main', label: 'Watercolour Course', amountCents: 4900, accessUrl: null },
    { kind: 'bump', label: 'Printable workbook', amountCents: 1900, accessUrl: null },
  ],
  totalCents: 6800,
  quote: 'qR4tY8wZ2xV6bN0mK3jH5g',
  currency: 'usd',
  email: 'maya@example.com',
  name: null,
  country: null,
  discountCode: null,
  orderId: null,
  upsell: null,
  action: null,
  reason: null,
  accessUrl: null,
  paidAt: null,
  lastFour: null,
  wallet: null,
  processor: 'stripe',
  publishableKey: 'pk_live_51Hx',
  savesCard: true,
  test: false,
  createdAt: '2026-11-20T09:29:40.000Z',
};

const seller = {
  key: 'Qm3zP0aV7xK2nB5c',
  handle: 'maya-paints',
  name: 'Maya Paints',
  supportEmail: 'help@mayapaints.example',
  logoUrl: null,
  accentColor: '#0b5f4f',
  termsUrl: 'https://mayapaints.example/terms',
  refundPolicyUrl: 'https://mayapaints.example/refunds',
  portalCancel: true,
  withdrawalDays: 14,
  immediateAccessConsent: false,
};

const upsell = {
  id: 'ups_01kaf2m4t8v0x2z4b6d8f0h2jk',
  headline: 'A year of live sessions',
  description: null,
  amountCents: 2900,
};

/** A PNG. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = {
  name: 'Qm9vdGhzLWFyZS1ub3QtaGFzaGVzLWJ1dC1sb29rLWxpa2.png',
  shown: { contentType: 'image/png', width: 1, height: 1, bytes: 70 },
};
const putImage = {
  body: { data: onePixel },
  response: { url: `http://127.0.0.1:3000/images/products/${image.name}`, ...image.shown },
};

/** Of what buyers’ pages call, and of their appearance. */
export const checkoutExamples = {
  getSeller: { response: seller },
  listShopProducts: {
    response: {
      data: [
        {
          id: productId,
          name: 'Watercolour Course',
          priceCents: 4900,
          currency: 'usd',
          pricingType: 'onetime',
          billingInterval: null,
          imageUrl: null,
          checkoutUrl: 'http://127.0.0.1:3000/c/maya-paints/watercolour-course',
        },
      ],
      has_more: false,
    },
  },
  getOffer: {
    response: {
      product: {
        id: productId,
        name: 'Watercolour Course',
        slug: 'watercolour-course',
        pricingType: 'onetime',
        billingInterval: null,
        priceCents: 4900,
        description: 'Thirty short lessons, from the first wash to a finished landscape.',
        imageUrl: null,
        checkoutUrl: 'http://127.0.0.1:3000/c/maya-paints/watercolour-course',
      },
      seller,
      bumps: checkout.bumps,
      hasDiscountCodes: true,
      discount: { code: 'AUTUMN', refusal: 'expired' },
      lines: checkout.lines.map(({ kind, label, amountCents }) => ({ kind, label, amountCents })),
      totalCents: 6800,
      quote: checkout.quote,
      currency: 'usd',
      processor: 'stripe',
      publishableKey: 'pk_live_51Hx',
      savesCard: true,
      test: false,
      affiliateCode: null,
    },
  },
  recordVisit: { body: { handle: 'maya-paints', slug: 'watercolour-course' }, response: { ok: true } },
  openCheckout: {
    body: {
      handle: 'maya-paints',
      slug: 'watercolour-course',
      email: 'maya@example.com',
      bumpIds: ['bmp_01kaf2m4q7s9v1x3z5b7d9f1hj'],
    },
    response: { ...checkout, secret: 'Jk2vQ8mT4xW1zB6nR9cF3hL7pD0sG5yA_uE-iO2aXqM' },
  },
  restoreCheckout: {
    body: { token: 'b7Vd2kP9sX4mQ1wZ8nR5tC0hL3yG6jUf_aE-oI2eTqA' },
    response: { ...checkout, secret: 'Jk2vQ8mT4xW1zB6nR9cF3hL7pD0sG5yA_uE-iO2aXqM' },
  },
  getCheckout: { response: checkout },
  updateCheckout: {
    body: { name: 'Maya Lindqvist', country: 'SE' },
    response: { ...checkout, name: 'Maya Lindqvist', country: 'SE' },
  },
  payCheckout: {
    body: { paymentMethod: 'ctoken_1NQ8zV', returnUrl: 'https://mayapaints.example/checkout/thanks' },
    response: {
      status: 'authorized',
      orderId,
      totalCents: 6800,
      upsell: { ...upsell, status: 'offered', expiresAt: '2026-11-20T10:30:12.345Z' },
    },
  },
  continueCheckout: { response: { status: 'paid', orderId, totalCents: 6800 } },
  decideUpsell: {
    body: { accept: true },
    response: {
      status: 'paid',
      orderId,
      totalCents: 9700,
      upsell: { ...upsell, status: 'accepted', expiresAt: null },
    },
  },
  putProductImage: putImage,
  putBumpImage: putImage,
  putUpsellImage: putImage,
  putLogo: {
    body: { data: onePixel },
    response: { url: `http://127.0.0.1:3000/images/logos/${image.name}`, ...image.shown },
  },
};
