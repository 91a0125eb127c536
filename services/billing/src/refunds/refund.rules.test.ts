import { expect, test } from 'vitest';
import { lostInstead } from './refund.rules.ts';

test.each([
  // charge, refunded, lost, failed, taken by lost disputes
  [4_900, 4_900, 0, 4_900, 0, 0, 'without a dispute the money is with the seller again'],
  [4_900, 4_900, 0, 4_900, 4_900, 4_900, 'a dispute of what had gone back is the loss now'],
  [4_900, 1_000, 3_900, 1_000, 4_900, 1_000, 'a dispute whose loss a part kept small takes that part'],
  [4_900, 1_000, 2_000, 1_000, 2_000, 0, 'a dispute that took all it disputes takes no more'],
  [4_900, 2_000, 0, 1_000, 4_900, 3_900, 'a refund that stands stays beside the loss'],
  [4_900, 4_900, 0, 900, 9_800, 900, 'two disputes take no more than the charge'],
])(
  '%i with %i refunded and %i lost: of %i that fail, %i taken, %i are lost: %s',
  (amount, refunded, lost, failed, taken, expected) => {
    const charge = { amountCents: amount, refundedCents: refunded, lostCents: lost };
    expect(lostInstead(charge, failed, taken)).toBe(expected);
  },
);
