export const productId = 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg';

export const product = {
  id: productId,
  name: 'Watercolour Course',
  slug: 'watercolour-course',
  price_cents: 4900,
  currency: 'usd',
  pricing_type: 'onetime',
  billing_interval: null,
  status: 'live',
  access_url: 'https://mayapaints.example/course',
  description: 'Thirty short lessons, from the first wash to a finished landscape.',
  image_url: null,
  listed: true,
  checkout_url: 'http://127.0.0.1:3000/c/maya-paints/watercolour-course',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-20T08:15:00.000Z',
  version: 2,
};
const draft = {
  ...product,
  id: 'prd_01kb5q7s9v1x3z5b7d9f1h3j5k',
  name: 'Watercolour Club',
  slug: 'watercolour-club',
  price_cents: 1900,
  pricing_type: 'subscription',
  billing_interval: 'month',
  status: 'draft',
  access_url: null,
  description: null,
  checkout_url: 'http://127.0.0.1:3000/c/maya-paints/watercolour-club',
  created_at: '2026-11-28T09:00:00.000Z',
  updated_at: '2026-11-28T09:00:00.000Z',
  version: 1,
};

const bump = {
  id: 'bmp_01kaf2m4q7s9v1x3z5b7d9f1hj',
  headline: 'Printable workbook',
  price_cents: 1900,
  active: 1,
  access_url: 'https://mayapaints.example/workbook',
  description: 'Forty exercises to print, one for each lesson.',
  compare_at_cents: null,
  image_url: null,
  version: 1,
};
const upsell = {
  id: 'ups_01kaf2m4t8v0x2z4b6d8f0h2jk',
  headline: 'A year of live sessions',
  price_cents: 2900,
  active: 1,
  access_url: 'https://mayapaints.example/sessions',
  description: null,
  compare_at_cents: 4900,
  image_url: null,
  version: 1,
};
const email = {
  id: 'eml_01kaf2m4v1x3z5b7d9f1h3j5km',
  position: 1,
  send_day: 0,
  subject: 'Welcome to the course',
  body: 'Hello,\n\nlesson one takes ten minutes. Have a brush and clear water ready.\n\nMaya',
  version: 1,
};

const discount = {
  id: 'dsc_01kaf2m4w3z5b7d9f1h3j5k7mp',
  code: 'AUTUMN',
  percent_off: 20,
  amount_off_cents: null,
  expires_at: '2026-12-01T00:00:00.000Z',
  max_uses: 100,
  created_at: '2026-11-01T08:00:00.000Z',
  version: 1,
  uses: 12,
};

/** Of products and what is sold around them, by operation. */
export const productExamples = {
  listProducts: { response: { data: [product, draft] } },
  createProduct: {
    body: {
      name: draft.name,
      slug: draft.slug,
      priceCents: draft.price_cents,
      pricingType: draft.pricing_type,
      billingInterval: draft.billing_interval,
    },
    response: draft,
  },
  getProduct: { response: product },
  updateProduct: {
    body: { priceCents: 5900, status: 'live' },
    response: { ...product, price_cents: 5900, updated_at: '2026-11-29T07:30:00.000Z', version: 3 },
  },
  getFunnel: { response: { bumps: [bump], upsells: [upsell], downsells: [], emails: [email] } },
  getBump: { response: bump },
  createBump: {
    body: {
      headline: bump.headline,
      priceCents: bump.price_cents,
      accessUrl: bump.access_url,
      description: bump.description,
    },
    response: bump,
  },
  updateBump: { body: { active: 0 }, response: { ...bump, active: 0, version: 2 } },
  getUpsell: { response: upsell },
  createUpsell: {
    body: {
      headline: upsell.headline,
      priceCents: upsell.price_cents,
      accessUrl: upsell.access_url,
      compareAtCents: upsell.compare_at_cents,
    },
    response: upsell,
  },
  updateUpsell: { body: { priceCents: 3900 }, response: { ...upsell, price_cents: 3900, version: 2 } },
  createFunnelEmail: {
    body: { position: email.position, sendDay: email.send_day, subject: email.subject, body: email.body },
    response: email,
  },
  updateFunnelEmail: { body: { sendDay: 2 }, response: { ...email, send_day: 2, version: 2 } },
  pushFunnelEmails: { response: { ok: true, sent: 1 } },
  listDiscounts: { response: { data: [discount] } },
  getDiscount: { response: discount },
  createDiscount: {
    body: { code: discount.code, percentOff: 20, expiresAt: '2026-12-01T00:00:00Z', maxUses: 100 },
    response: { ...discount, uses: 0 },
  },
  updateDiscount: {
    body: { percentOff: 25, maxUses: null },
    response: { ...discount, percent_off: 25, max_uses: null, version: 2 },
  },
};
