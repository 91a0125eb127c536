import { paymentsLimited } from '@app/contracts/checkouts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { print } from '../support/print.ts';
import { handled } from '../support/waits.ts';
import { type FloodedShop, startFloodedShop } from './flooded-shop.ts';

/** Bound: 200 declined attempts at one account in ten minutes, whatever the addresses; who has paid before pays on. */
let shop: FloodedShop;
beforeAll(async () => {
  shop = await startFloodedShop();
});
afterAll(() => shop.close());

test('250 addresses with stolen cards at once have 200 attempts; a buyer who has paid before buys meanwhile', async () => {
  const good = '203.0.113.1';
  const buy = async (address: string, number: number) =>
    await shop.pay(address, await shop.open(address, `buyer${number}@example.com`), 'sim_ok');
  expect((await buy(good, 1)).json.status).toBe('paid');
  const addresses = Array.from({ length: 250 }, (_, i) => `198.51.${100 + Math.floor(i / 125)}.${i % 125}`);
  const opened = await Promise.all(
    addresses.map(async (address, i) => ({ address, checkout: await shop.open(address, `thief${i}@example.com`) })),
  );
  const answers = await Promise.all(opened.map(({ address, checkout }) => shop.pay(address, checkout, 'sim_declined')));
  const declined = answers.filter(({ json }) => json.status === 'declined').length;
  const refused = answers.filter(({ status }) => status === 429).length;
  print(`250 addresses at once: ${declined} declined, ${refused} refused before a processor was called`);
  expect([declined, refused]).toEqual([200, 50]);
  expect((await buy(good, 2)).json.status).toBe('paid');
  const stranger = await buy('203.0.113.2', 3);
  expect([stranger.status, stranger.headers.get('retry-after')]).toEqual([429, '60']);
  await handled('webhook-dispatcher', paymentsLimited, (_, accountId) => accountId === shop.seller.accountId);
  const activity = (await shop.seller.call('GET', '/api/v1/activity')).json.data as { summary: string }[];
  const notices = activity.filter(({ summary }) => summary.startsWith('Many payments were declined'));
  expect(notices).toHaveLength(1);
});
