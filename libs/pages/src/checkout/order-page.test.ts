import { expect, test } from 'vitest';
import { order, purchaseOf, samplePageOf } from '../../test/gallery/samples.ts';
import type { Shop } from './model.ts';
import { orderPage } from './order-page.ts';

/** The line under Pay. */
function trustOf(shop: Partial<Shop>, amountCents = 1_900, billingInterval: 'month' | null = null): string {
  const of = purchaseOf({ billingInterval }, amountCents);
  const page = orderPage(samplePageOf(order, { ...of, shop: { ...of.shop, ...shop } }));
  return /<p class="terms trust">.*?<span>(.*?)<\/span>/.exec(page.text)?.[1] ?? '';
}

test('the days to withdraw are named where buyers may withdraw, and nowhere else', () => {
  expect(trustOf({ withdrawalDays: 14 })).toBe('You may withdraw within 14 days');
  expect(trustOf({ withdrawalDays: 1 })).toBe('You may withdraw within 1 day');
  expect(trustOf({ withdrawalDays: 14, portalCancel: true }, 1_900, 'month')).toBe(
    'You may withdraw within 14 days · Cancel at any time',
  );
  // The shop takes no withdrawals; the buyer gives the right up for immediate access; nothing was paid.
  expect(trustOf({ withdrawalDays: 0 })).toBe('');
  expect(trustOf({ withdrawalDays: 14, immediateAccessConsent: true })).toBe('');
  expect(trustOf({ withdrawalDays: 14 }, 0)).toBe('');
});
