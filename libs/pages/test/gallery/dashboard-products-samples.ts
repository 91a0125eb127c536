import type { ProductResource } from '@app/contracts/products';
import type { Funnel } from '../../src/dashboard/products/product-page.ts';
import { arabicName, longName } from './samples.ts';

export const productId = 'prd_01jd2q5v8kfw9s3x6z7yabcdef';
const at = '2026-10-23T12:00:00.000Z';

export const product: ProductResource = {
  id: productId,
  name: 'Watercolour in 30 days',
  slug: 'watercolour',
  price_cents: 14_900,
  currency: 'usd',
  pricing_type: 'onetime',
  billing_interval: null,
  status: 'live',
  access_url: 'https://atelier.example/course',
  description: 'Thirty short lessons, from the first wash to a finished landscape. Yours to keep.',
  image_url: null,
  listed: true,
  checkout_url: 'https://pay.example/c/atelier/watercolour',
  created_at: at,
  updated_at: at,
  version: 1,
};

export const productOf = (changes: Partial<ProductResource>): ProductResource => Object.assign({}, product, changes);

export const emptyFunnel: Funnel = { bumps: [], upsells: [], emails: [], discounts: [] };

const discount = {
  id: 'dsc_01jd2q5v8kfw9s3x6z7yabcdef',
  code: 'SPRING',
  percent_off: 15,
  amount_off_cents: null,
  expires_at: null,
  max_uses: null,
  created_at: at,
  uses: 1_204,
  version: 1,
};

const delivered = {
  access_url: 'https://atelier.example/workbook',
  description: 'Forty exercises on heavy paper.',
  compare_at_cents: 2_900,
  image_url: '/picture.svg',
};
const nothing = { access_url: null, description: null, compare_at_cents: null, image_url: null };

export const funnel: Funnel = {
  bumps: [
    { id: 'bmp_1', headline: 'The workbook, printed', price_cents: 1_900, active: 1, ...delivered, version: 1 },
    { id: 'bmp_2', headline: longName, price_cents: 123_456_789, active: 0, ...nothing, version: 1 },
  ],
  upsells: [{ id: 'ups_1', headline: arabicName, price_cents: 4_900, active: 1, ...nothing, version: 1 }],
  emails: [
    {
      id: 'eml_01jd2q5v8kfw9s3x6z7yabcdef',
      position: 1,
      send_day: 0,
      subject: 'Your course',
      body: 'Here it is.',
      version: 1,
    },
    {
      id: 'eml_01jd2q5v8kfw9s3x6z7yabcdeg',
      position: 2,
      send_day: 3,
      subject: longName,
      body: 'How is it going?',
      version: 1,
    },
  ],
  discounts: [
    discount,
    Object.assign({}, discount, {
      id: 'dsc_01jd2q5v8kfw9s3x6z7yabcdeg',
      code: 'W'.repeat(50),
      percent_off: null,
      amount_off_cents: 2_000,
      expires_at: '2026-12-31T23:59:59.999Z',
      max_uses: 1_000_000,
      uses: null,
    }),
  ],
};
