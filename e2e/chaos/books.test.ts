import { StripeStandIn } from '@app/billing/stripe-stand-in';
import { expect, test } from 'vitest';
import { sharedPlatform } from '../support/shared-platform.ts';
import { readBooks } from './books.ts';

test('the books that chaos compares are read from the tables of today', async () => {
  const cluster = await sharedPlatform();
  const later = { nowMs: Date.now };
  const stripe = await StripeStandIn.start(later);
  const books = await readBooks({ cluster, later, stripe, shops: [] });
  await stripe.close();
  expect(Object.values(books).every(Array.isArray)).toBe(true);
});
