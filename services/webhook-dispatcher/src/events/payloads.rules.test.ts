import {
  funnelEmailSyncPayload as publishedEmail,
  orderPaidPayload as publishedOrder,
} from '@app/contracts/webhook-payloads';
import { expect, test } from 'vitest';
import { funnelEmailSyncPayload, orderPaidPayload } from './payloads.rules.ts';

const sentAt = '2026-01-15T12:00:00.000Z';
const order = {
  orderId: 'ord_1',
  productId: 'prd_1',
  productName: 'Course',
  productSlug: 'course',
  pricingType: 'onetime' as const,
  billingInterval: null,
  priceCents: 123_450,
  customerEmail: 'ada@example.com',
  customerName: '  Ada  King Lovelace',
  country: 'GB',
  totalCents: 123_450,
  currency: 'usd',
  items: [],
  affiliateCode: 'PAL',
  paymentMethod: null,
  accessUrl: 'https://example.com/in',
  supportEmail: 'help@example.com',
  source: 'api' as const,
  test: false,
  paidAt: sentAt,
};

test('order.paid has the published fields and nothing else', () => {
  const payload = orderPaidPayload(order, sentAt);
  expect(publishedOrder.parse(payload)).toEqual(payload);
  expect(payload).toMatchObject({ firstName: 'Ada', country: 'United Kingdom', countryCode: 'GB', total: '$1,234.50' });
});

test('strings without a value are empty, never absent', () => {
  const bare = { ...order, customerName: '', country: null, affiliateCode: null, accessUrl: '', supportEmail: '' };
  expect(orderPaidPayload(bare, sentAt)).toMatchObject({
    name: '',
    firstName: '',
    country: '',
    countryCode: '',
    affiliate: '',
    accessUrl: '',
    supportEmail: '',
  });
});

test('the payload names the code of the credited affiliate as the affiliate spells it, and the typed code only for events without a credited one', () => {
  const affiliateOf = (fields: object) => orderPaidPayload({ ...order, ...fields }, sentAt).affiliate;
  expect(affiliateOf({ affiliateCode: 'pal', creditedCode: 'PAL' })).toBe('PAL');
  expect(affiliateOf({ affiliateCode: 'typo', creditedCode: null })).toBe('');
  expect(affiliateOf({ affiliateCode: 'pal' })).toBe('pal');
});

test('display amounts follow the currency', () => {
  expect(orderPaidPayload({ ...order, totalCents: 1_235, currency: 'jpy' }, sentAt).total).toBe('¥1,235');
});

test('funnel.email.sync has the published fields and nothing else', () => {
  const email = {
    productId: 'prd_1',
    productSlug: 'course',
    productName: 'Course',
    position: 1,
    sendDay: 0,
    subject: 'Hi',
    body: '<p>Hi</p>',
  };
  const payload = funnelEmailSyncPayload(email, sentAt);
  expect(publishedEmail.parse(payload)).toEqual(payload);
});
