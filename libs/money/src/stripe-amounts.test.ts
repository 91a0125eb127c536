import fc from 'fast-check';
import { expect, test } from 'vitest';
import { belowSmallestCharge, fromStripeAmount, impossibleAtStripe, toStripeAmount } from './stripe-amounts.ts';

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

test.each([
  { currency: 'iqd', cents: 1_000, field: 'currency', words: /no payments in IQD/ },
  { currency: 'mga', cents: 150, field: 'priceCents', words: /multiple of 100, at least 100/ },
  { currency: 'kwd', cents: 5, field: 'priceCents', words: /multiple of 10, at least 10/ },
  { currency: 'usd', cents: 100_000_000, field: 'priceCents', words: /at most 99999999:/ },
  { currency: 'isk', cents: 1_000_000, field: 'priceCents', words: /at most 999999:/ },
  { currency: 'mga', cents: 10_000_000_000, field: 'priceCents', words: /at most 9999999900:/ },
])('$cents $currency are no price for Stripe, and $field is wrong', ({ currency, cents, field, words }) => {
  expect(impossibleAtStripe(cents, currency)).toEqual({ field, message: expect.stringMatching(words) });
});

test.each([
  { currency: 'usd', cents: 99_999_999 },
  { currency: 'isk', cents: 999_999 },
  { currency: 'mga', cents: 9_999_999_900 },
  // Too small for an account that is paid out in dollars, and possible for one that is paid out in rupees.
  { currency: 'usd', cents: 1 },
  { currency: 'idr', cents: 9_999_999_999 },
  { currency: 'jpy', cents: 100_000_000 },
  { currency: 'iqd', cents: 0 },
])('$cents $currency may be a price at Stripe', ({ currency, cents }) => {
  expect(impossibleAtStripe(cents, currency)).toBeUndefined();
});

test.each([
  { currency: 'usd', smallest: 50 },
  { currency: 'gbp', smallest: 30 },
  { currency: 'jpy', smallest: 50 },
  { currency: 'huf', smallest: 17_500 },
])('Stripe charges at least $smallest $currency for who is paid out in it', ({ currency, smallest }) => {
  expect(belowSmallestCharge(smallest - 1, currency)).toEqual({
    field: 'priceCents',
    message: expect.stringContaining(`0 or at least ${smallest}: Stripe`),
  });
  expect([0, smallest].map((cents) => belowSmallestCharge(cents, currency))).toEqual([undefined, undefined]);
});

test('of a currency whose smallest charge is not documented nothing is too small', () => {
  expect(belowSmallestCharge(1, 'isk')).toBeUndefined();
});

test('what Stripe may take as a price converts to its amounts', () => {
  const money = fc.record({
    cents: fc.integer({ min: 1, max: 9_999_999_999 }),
    currency: fc.constantFrom('usd', 'isk', 'ugx', 'mga', 'tnd', 'jpy', 'bhd', 'iqd', 'clf'),
  });
  fc.assert(
    fc.property(money, ({ cents, currency }) => {
      const sent = toStripeAmount(cents, currency);
      const tooLarge = 'amount' in sent && sent.amount > 99_999_999 && currency !== 'jpy';
      expect(impossibleAtStripe(cents, currency) !== undefined).toBe(tooLarge || 'impossible' in sent);
    }),
  );
});
