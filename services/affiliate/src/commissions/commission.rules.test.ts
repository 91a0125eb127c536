import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CommissionTerms, commissionOn, creditOf } from './commission.rules.ts';

const sale = { totalCents: 4900, customerEmail: 'buyer@example.com', test: false };
const percent = (commissionBasisPoints: number): CommissionTerms => ({
  email: 'pat@example.com',
  commissionBasisPoints,
  commissionCents: null,
});
const fixed = (commissionCents: number): CommissionTerms => ({
  email: 'pat@example.com',
  commissionBasisPoints: null,
  commissionCents,
});

const totalCents = fc.integer({ min: 0, max: 9_999_999_999 });
const basisPoints = fc.integer({ min: 0, max: 10_000 });
const terms = fc.oneof(basisPoints.map(percent), totalCents.map(fixed));

test('a percentage is taken of the total, halves up', () => {
  expect(commissionOn(sale, percent(3000))).toBe(1470);
  expect(commissionOn({ ...sale, totalCents: 50 }, percent(100))).toBe(1);
  expect(commissionOn({ ...sale, totalCents: 49 }, percent(100))).toBe(0);
  expect(commissionOn({ ...sale, totalCents: 1_000_000 }, percent(1234))).toBe(123_400);
});

test('a fixed amount is never more than the sale', () => {
  expect(commissionOn(sale, fixed(1000))).toBe(1000);
  expect(commissionOn(sale, fixed(5000))).toBe(4900);
  expect(commissionOn({ ...sale, totalCents: 0 }, fixed(5000))).toBe(0);
});

test('older events: the affiliate who has the code is credited, except for test orders and own purchases', () => {
  expect(creditOf(sale, fixed(1))).toBe('commission');
  expect(creditOf(sale, undefined)).toBe('unmatched');
  expect(creditOf({ ...sale, customerEmail: 'PAT@Example.com' }, percent(3000))).toBe('nothing');
  fc.assert(fc.property(terms, (affiliate) => creditOf({ ...sale, test: true }, affiliate) === 'nothing'));
});

test('the affiliate whom the sale credited is credited, whatever became of the affiliate since', () => {
  const own = { ...sale, customerEmail: 'Pat@example.com' };
  expect(creditOf({ ...sale, creditedCode: 'PAT' }, fixed(1))).toBe('commission');
  expect(creditOf({ ...own, creditedCode: 'PAT' }, fixed(1))).toBe('commission');
  expect(creditOf({ ...own, creditedCode: null }, fixed(1))).toBe('nothing');
  expect(creditOf({ ...sale, creditedCode: null }, undefined)).toBe('unmatched');
  // The affiliate was added after the sale.
  expect(creditOf({ ...sale, creditedCode: null }, fixed(1))).toBe('unmatched');
  expect(creditOf({ ...sale, creditedCode: 'PAT', test: true }, fixed(1))).toBe('nothing');
});

test('a commission is a whole amount between nothing and the total', () => {
  fc.assert(
    fc.property(totalCents, terms, (total, affiliate) => {
      const amount = commissionOn({ totalCents: total }, affiliate);
      expect(Number.isSafeInteger(amount)).toBe(true);
      expect(amount).toBeGreaterThanOrEqual(0);
      expect(amount).toBeLessThanOrEqual(total);
    }),
  );
});

test('a percentage is exact to half a minor unit, whatever the total', () => {
  fc.assert(
    fc.property(totalCents, basisPoints, (total, points) => {
      const amount = commissionOn({ totalCents: total }, percent(points));
      const missed = BigInt(amount) * 10_000n - BigInt(total) * BigInt(points);
      expect(missed > -5_000n && missed <= 5_000n).toBe(true);
    }),
  );
});
