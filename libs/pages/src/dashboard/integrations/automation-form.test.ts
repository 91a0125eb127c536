import { expect, test } from 'vitest';
import { wantedIn } from './automation-form.ts';
import type { Automation } from './parts.ts';

const email = { to: 'buyer', subject: 'Hello', body: 'One\r\n\r\nTwo' };
const wanted = (typed: Record<string, string>, automation: Automation | null = null) =>
  wantedIn(new URLSearchParams(typed), { does: 'email', automation });

const builtIn: Automation = {
  id: 'aut_01jd2q5v8kfw9s3x6z7yabcdef',
  name: 'Notice of a sale',
  built_in: 'sale_notice',
  active: true,
  switched_off: null,
  available: true,
  event: 'order.paid',
  product_id: null,
  action: { type: 'email', to: 'seller', subject: 'Sold', body: 'Sold' },
  previous_secret_expires_at: null,
  created_at: '2026-10-23T12:00:00.000Z',
  updated_at: '2026-10-23T12:00:00.000Z',
};

test('a text has the ends of lines that templates have', () => {
  expect(wanted({ ...email, event: 'order.paid' })).toMatchObject({
    event: 'order.paid',
    productId: null,
    action: { type: 'email', to: 'buyer', subject: 'Hello', body: 'One\n\nTwo' },
    errors: {},
  });
});

test('what an event does not have is said at its field, in its words', () => {
  const { errors } = wanted({ ...email, event: 'affiliate.paid', productId: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg' });
  expect(errors).toEqual({
    productId: '“Affiliate paid” is about no product: choose every product.',
    to: '“Affiliate paid” has no buyer: choose yourself.',
  });
  expect(wanted({ ...email, event: 'affiliate.paid', to: 'seller' }).errors).toEqual({});
});

test('a built-in automation keeps its event and its recipient, whatever the form says', () => {
  expect(wanted({ ...email, event: 'order.refunded' }, builtIn)).toMatchObject({
    event: 'order.paid',
    action: { to: 'seller', subject: 'Hello' },
  });
});

test('an automation of an event without a buyer goes to the seller, for which its form has no field', () => {
  const own: Automation = { ...builtIn, built_in: null, event: 'affiliate.paid' };
  expect(wanted({ subject: 'Hello', body: 'One' }, own)).toMatchObject({ action: { to: 'seller' }, errors: {} });
});
