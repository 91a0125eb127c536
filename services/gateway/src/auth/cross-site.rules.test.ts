import { expect, test } from 'vitest';
import { isCrossSite } from './cross-site.rules.ts';

const hosts = ['shop.example:3000', undefined];

test.each([
  ['a program without browser headers', undefined, undefined, false],
  ['the same origin', 'same-origin', undefined, false],
  ['an address typed in', 'none', undefined, false],
  ['another site', 'cross-site', undefined, true],
  ['a sibling domain', 'same-site', undefined, true],
  ['Sec-Fetch-Site wins over Origin', 'cross-site', 'http://shop.example:3000', true],
  ['its own Origin', undefined, 'http://shop.example:3000', false],
  ['another Origin', undefined, 'http://evil.example', true],
  ['another port', undefined, 'http://shop.example:4000', true],
  ['the opaque Origin', undefined, 'null', true],
] as const)('%s', (_, secFetchSite, origin, expected) => {
  expect(isCrossSite({ secFetchSite, origin }, hosts)).toBe(expected);
});
