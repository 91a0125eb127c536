import { expect, test } from 'vitest';
import { isUnder } from './return-url.rules.ts';

test('a buyer is sent back under the base alone: its origin, its path, and what is below', () => {
  const own = 'https://shop.example/pay';
  for (const address of [own, `${own}/`, `${own}/thanks?x=1#y`, `${own}?x=1`]) expect(isUnder(address, own)).toBe(true);
  expect(isUnder('https://shop.example', 'https://shop.example')).toBe(true);
  expect(isUnder('https://shop.example/any', 'https://shop.example/')).toBe(true);
  for (const address of [
    'http://shop.example/pay',
    'https://shop.example:444/pay',
    'https://shop.example/payments',
    'https://shop.example/pay/../other',
    'https://shop.example/pay/%2e%2e/other',
    'https://shop.example.evil.example/pay',
    'https://shop.example@evil.example/pay',
    'https://evil@shop.example/pay',
    'https://evil.example/https://shop.example/pay',
    // Browsers read \\ as /, others take what precedes the @ for a user.
    'https://shop.example\\@evil.example/pay',
    'https://shop.example/pay\\@evil.example',
    'nonsense',
  ])
    expect([address, isUnder(address, own)]).toEqual([address, false]);
});
