import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commissionOn, creditOf, dueAt, earnsOnRenewal, isOwnPurchase, statusAt } from './commission.rules.ts';

const sale = {
  totalCents: 4900,
  customerEmail: 'buyer@example.com',
  creditedCode: null,
  creditPending: false,
  test: false,
};
const percent = (commissionBasisPoints: number) => ({
  email: 'pat@example.com',
  commissionBasisPoints,
  commissionCents: null,
});
const fixed = (commissionCents: number) => ({
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

test('an affiliate earns nothing on a purchase under a plus-address of the own mailbox', () => {
  const own = (customer: string, affiliate: string) => isOwnPurchase(customer, affiliate);
  expect(own('pat+shop@example.com', 'Pat@example.com')).toBe(true);
  expect(own('pat@example.com', 'pat+partners@example.com')).toBe(true);
  expect(own('pat+a@example.com', 'PAT+b@Example.com')).toBe(true);
  expect(own('pat+shop@example.com', 'pat@example.org')).toBe(false);
  expect(own('+pat@example.com', '+sam@example.com')).toBe(false);
  expect(own('patty@example.com', 'pat@example.com')).toBe(false);
});

test('an affiliate earns nothing on a purchase under another spelling of the own mailbox', () => {
  expect(isOwnPurchase('Özlem@example.com', 'özlem@example.com')).toBe(true);
  expect(isOwnPurchase('O\u0308zlem+shop@example.com', 'özlem@example.com')).toBe(true);
  expect(isOwnPurchase('pat@xn--mnchen-3ya.example', 'Pat@MÜNCHEN.EXAMPLE')).toBe(true);
  expect(isOwnPurchase('pat+a@münchen.example', 'pat+b@xn--mnchen-3ya.example')).toBe(true);
  expect(isOwnPurchase('straße@example.com', 'strasse@example.com')).toBe(false);
});

test('a sale whose credit was left open is credited to the affiliate who has the code, own purchases excepted', () => {
  const open = { ...sale, creditPending: true };
  expect(creditOf(open, percent(3000))).toBe('commission');
  expect(creditOf(open, undefined)).toBe('unmatched');
  expect(creditOf({ ...open, customerEmail: 'pat+x@example.com' }, percent(3000))).toBe('nothing');
  fc.assert(fc.property(terms, (affiliate) => creditOf({ ...open, test: true }, affiliate) === 'nothing'));
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

const renewalsOf = (sold: string, months: number, starts: string[]): string[] =>
  starts.filter((start) => earnsOnRenewal(new Date(sold), months, new Date(start)));

test('of a monthly subscription N months are N renewals, of a yearly one twelve months are one; 0 is the sale alone', () => {
  const sold = '2026-01-31T23:59:59.999Z';
  const monthly = ['2026-02-28T23:59:59.999Z', '2026-03-31T23:59:59.999Z', '2026-04-30T23:59:59.999Z'];
  expect(renewalsOf(sold, 0, monthly)).toEqual([]);
  expect(renewalsOf(sold, 1, monthly)).toEqual(monthly.slice(0, 1));
  expect(renewalsOf(sold, 2, monthly)).toEqual(monthly.slice(0, 2));
  expect(renewalsOf(sold, 1200, monthly)).toEqual(monthly);
  const yearly = ['2027-01-31T23:59:59.999Z', '2028-01-31T23:59:59.999Z'];
  expect(renewalsOf(sold, 11, yearly)).toEqual([]);
  expect(renewalsOf(sold, 12, yearly)).toEqual(yearly.slice(0, 1));
  // The time of day decides nothing.
  expect(renewalsOf('2026-01-15T00:00:00.000Z', 1, ['2026-02-15T18:00:00.000Z', '2026-02-16T00:00:00.000Z'])).toEqual([
    '2026-02-15T18:00:00.000Z',
  ]);
});

test('a renewal within the months stays within more of them', () => {
  const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const months = fc.integer({ min: 0, max: 1199 });
  fc.assert(
    fc.property(time, time, months, (sold, start, count) => {
      if (earnsOnRenewal(sold, count, start)) expect(earnsOnRenewal(sold, count + 1, start)).toBe(true);
    }),
  );
});

test('a pending commission is due when its hold is over, and not a millisecond before', () => {
  const due = new Date(dueAt('2026-01-10T08:00:00.123Z', 30));
  expect(due.toISOString()).toBe('2026-02-09T08:00:00.123Z');
  const at = (status: 'pending' | 'paid' | 'voided', ms: number) =>
    statusAt({ status, dueAt: due }, new Date(due.getTime() + ms));
  expect([at('pending', -1), at('pending', 0), at('paid', 1), at('voided', 1)]).toEqual([
    'pending',
    'due',
    'paid',
    'voided',
  ]);
});
