import { openingsBounded } from '@app/checkout/points';
import { announced, sofar } from '@app/testing/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { print } from '../support/print.ts';
import { type FloodedShop, startFloodedShop } from './flooded-shop.ts';

/** Bound: an account has as many open checkouts as the setting says, a hundredth more or less. */
const max = 500;
let shop: FloodedShop;
beforeAll(async () => {
  shop = await startFloodedShop({ OPEN_CHECKOUTS_PER_ACCOUNT: String(max) });
});
afterAll(() => shop.close());

test('1,500 openings from three addresses leave 500, and the buyer who has given an email keeps theirs', async () => {
  const wanted = await shop.open('203.0.113.1');
  // An email that comes with the opening shows no buyer: a flood may have one too.
  await shop.fillIn('203.0.113.1', wanted, { email: 'ada@example.com', name: 'Ada' });
  for (let round = 0; round < 30; round++) {
    const opened = await Promise.all(
      Array.from({ length: 50 }, (_, i) => shop.open(`198.51.100.${(i % 3) + 1}`, `flood-${round}-${i}@example.com`)),
    );
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  }
  // 1,501 openings are 300 checks of five each.
  await announced(openingsBounded, ({ accountId }) => accountId === shop.seller.accountId, 300);
  const deleted = sofar(openingsBounded).reduce((sum, one) => sum + one.deleted, 0);
  print(`1,501 openings: ${deleted} gave way, ${1_501 - deleted} are open`);
  expect(1_501 - deleted).toBeGreaterThanOrEqual(max);
  expect(1_501 - deleted).toBeLessThanOrEqual(max + max / 100);
  expect((await shop.pay('203.0.113.1', wanted, 'sim_ok')).json.status).toBe('paid');
});
