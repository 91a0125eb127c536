import { expect, test } from 'vitest';
import { reachableBase } from './reachable-base.ts';

test.each([
  ['https://shop.example', true],
  ['https://shop.example:8443/funnels', true],
  ['https://203.0.113.7', true],
  ['http://shop.example', false],
  ['https://localhost:3000', false],
  ['https://gateway', false],
  ['https://shop.local', false],
  ['https://127.0.0.1', false],
  ['https://10.1.2.3', false],
  ['https://192.168.0.9', false],
  ['https://[::1]', false],
  ['https://[fd00::1]', false],
  [undefined, false],
])('Stripe reaches %s: %s', (publicUrl, isReachable) => {
  expect(reachableBase(publicUrl)).toBe(isReachable ? publicUrl : null);
});
