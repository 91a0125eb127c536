import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiscountClaim, grantedClaims, neededUses } from './claims.rules.ts';

const claims = fc
  .array(
    fc.record({
      accountId: fc.constantFrom('acc_1', 'acc_2'),
      discountId: fc.constantFrom('dsc_1', 'dsc_2'),
      maxUses: fc.option(fc.integer({ min: 1, max: 6 })),
      test: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((all): DiscountClaim[] => all.map((claim, n) => ({ ...claim, id: `cko_${n}` })));

test('no discount is used more often than the lowest of its limits, and each sale that finds room gets its use', () => {
  fc.assert(
    fc.property(claims, fc.nat(6), (all, used) => {
      const needed = neededUses(all);
      const rooms = needed.map((one) => ({ ...one, room: one.max_uses === null ? null : one.max_uses - used }));
      const granted = grantedClaims(all, rooms);
      for (const { account_id, discount_id, room, sales } of rooms) {
        const own = all.filter(({ accountId, discountId }) => accountId === account_id && discountId === discount_id);
        const counted = own.filter(({ id, test: rehearsal }) => granted.has(id) && !rehearsal);
        expect(counted).toHaveLength(Math.max(0, Math.min(sales, room ?? sales)));
        // First come, first served.
        expect(counted).toEqual(own.filter(({ test: rehearsal }) => !rehearsal).slice(0, counted.length));
      }
    }),
  );
});

test('a rehearsal must meet the terms and takes no use', () => {
  const claim = (id: string, rehearsal: boolean): DiscountClaim => ({
    ...{ id, accountId: 'acc_1', discountId: 'dsc_1', maxUses: 1, test: rehearsal },
  });
  const all = [claim('cko_1', true), claim('cko_2', false), claim('cko_3', true), claim('cko_4', false)];
  const room = (left: number) => [{ account_id: 'acc_1', discount_id: 'dsc_1', room: left }];
  expect([...grantedClaims(all, room(1))]).toEqual(['cko_1', 'cko_2']);
  expect([...grantedClaims(all, room(0))]).toEqual([]);
});

test('the same discount id of two accounts is two discounts, and the lowest limit of one counts', () => {
  const of = (accountId: string, maxUses: number | null) => ({
    ...{ id: `cko_${maxUses}`, accountId, discountId: 'dsc_1', maxUses, test: false },
  });
  expect(neededUses([of('acc_1', 3), of('acc_1', 2), of('acc_1', null), of('acc_2', null)])).toEqual([
    { account_id: 'acc_1', discount_id: 'dsc_1', sales: 3, max_uses: 2 },
    { account_id: 'acc_2', discount_id: 'dsc_1', sales: 1, max_uses: null },
  ]);
});
