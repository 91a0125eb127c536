import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commissionOn, type Promised } from './commission.rules.ts';

const sale = { totalCents: 4900, customerEmail: 'buyer@example.com', test: false };
const percent = (commissionBasisPoints: number): Promised => ({
  email: 'pat@example.com',
  commissionBasisPoints,
  commissionCents: null,
});
const fixed = (commissionCents: number): Promised => ({
  email: 'pat@example.com',
  commissionBasisPoints: null,
  commissionCents,
});

const totalCents = fc.integer({ min: 0, max: 9_999_999_999 });
const basisPoints = fc.integer({ min: 0, max: 10_000 });
const promised = fc.oneof(basisPoints.map(percent), totalCents.map(fixed));

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

test('partners earn nothing on what they buy themselves, however they write their address', () => {
  expect(commissionOn({ ...sale, customerEmail: 'PAT@Example.com' }, percent(3000))).toBeNull();
});

test('a rehearsal earns nobody anything', () => {
  fc.assert(
    fc.property(promised, (partner) => {
      expect(commissionOn({ ...sale, test: true }, partner)).toBe(null);
    }),
  );
});

test('a commission is a whole amount between nothing and the total', () => {
  fc.assert(
    fc.property(totalCents, promised, (total, partner) => {
      const amount = commissionOn({ ...sale, totalCents: total }, partner) ?? Number.NaN;
      expect(Number.isSafeInteger(amount)).toBe(true);
      expect(amount).toBeGreaterThanOrEqual(0);
      expect(amount).toBeLessThanOrEqual(total);
    }),
  );
});

test('a percentage is exact to half a minor unit, whatever the total', () => {
  fc.assert(
    fc.property(totalCents, basisPoints, (total, points) => {
      const amount = commissionOn({ ...sale, totalCents: total }, percent(points)) ?? Number.NaN;
      const missed = BigInt(amount) * 10_000n - BigInt(total) * BigInt(points);
      expect(missed > -5_000n && missed <= 5_000n).toBe(true);
    }),
  );
});
