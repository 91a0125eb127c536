import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.rules.ts';

test.each([
  { currency: 'usd', cents: 4_900, amount: 4_900 },
  { currency: 'jpy', cents: 1_000, amount: 1_000 },
  { currency: 'kwd', cents: 12_340, amount: 12_340 },
  // Stripe counts hundredths of krónur and shillings, which no buyer pays.
  { currency: 'isk', cents: 1_500, amount: 150_000 },
  { currency: 'ugx', cents: 3_000, amount: 300_000 },
  { currency: 'mga', cents: 500_000, amount: 5_000 },
])('$cents $currency are $amount at Stripe', ({ currency, cents, amount }) => {
  expect(toStripeAmount(cents, currency)).toEqual({ amount });
  expect(fromStripeAmount(amount, currency)).toBe(cents);
});

test.each([
  { currency: 'mga', cents: 150, impossible: 'amount_not_possible' },
  { currency: 'bhd', cents: 12_345, impossible: 'amount_not_possible' },
  { currency: 'iqd', cents: 1_000, impossible: 'currency_not_supported' },
  { currency: 'clf', cents: 10_000, impossible: 'currency_not_supported' },
])('$cents $currency cannot be paid at Stripe: $impossible', ({ currency, cents, impossible }) => {
  expect(toStripeAmount(cents, currency)).toEqual({
    impossible,
    message: expect.stringMatching(currency.toUpperCase()),
  });
});

test('what Stripe can take comes back as it was', () => {
  const money = fc.record({
    cents: fc.integer({ min: 1, max: 99_999_999 }),
    currency: fc.constantFrom('usd', 'isk', 'ugx', 'mga', 'tnd', 'jpy', 'bhd'),
  });
  fc.assert(
    fc.property(money, ({ cents, currency }) => {
      const sent = toStripeAmount(cents, currency);
      if ('amount' in sent) expect(fromStripeAmount(sent.amount, currency)).toBe(cents);
      else expect(cents % 10 !== 0 || currency === 'mga').toBe(true);
    }),
  );
});
