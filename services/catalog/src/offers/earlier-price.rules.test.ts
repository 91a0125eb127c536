import { expect, test } from 'vitest';
import { requireEarlierPrice } from './earlier-price.rules.ts';

test('an earlier price is above the price, and refused at its field otherwise', () => {
  requireEarlierPrice({ priceCents: 1_900, compareAtCents: null });
  requireEarlierPrice({ priceCents: 1_900, compareAtCents: 1_901 });
  for (const compareAtCents of [1_900, 1, 0])
    expect(() => requireEarlierPrice({ priceCents: 1_900, compareAtCents })).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        errors: [expect.objectContaining({ field: 'compareAtCents' })],
      }),
    );
});
