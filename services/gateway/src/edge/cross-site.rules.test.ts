import { expect, test } from 'vitest';
import { isCrossSite, isFromPage } from './cross-site.rules.ts';

const isOwnOrigin = ({ host }: URL) => host === 'shop.example:3000';

test.each([
  ['a program without browser headers', undefined, undefined, false],
  ['the same origin', 'same-origin', undefined, false],
  ['an address typed in', 'none', undefined, false],
  ['another site', 'cross-site', undefined, true],
  ['a sibling domain', 'same-site', undefined, true],
  ['Sec-Fetch-Site wins over Origin', 'cross-site', 'http://shop.example:3000', true],
  ['its own Origin', undefined, 'http://shop.example:3000', false],
  ['another Origin', undefined, 'http://evil.example', true],
  ['another Origin that claims to be the same', 'same-origin', 'http://evil.example', true],
  ['another port', undefined, 'http://shop.example:4000', true],
  ['the opaque Origin', undefined, 'null', true],
  ['a form of its own', 'same-origin', 'null', false],
] as const)('%s', (_, secFetchSite, origin, expected) => {
  expect(isCrossSite({ secFetchSite, origin }, isOwnOrigin)).toBe(expected);
});

test('a page is behind a request with either header', () => {
  expect(isFromPage({ secFetchSite: undefined, origin: undefined })).toBe(false);
  expect(isFromPage({ secFetchSite: 'none', origin: undefined })).toBe(true);
  expect(isFromPage({ secFetchSite: undefined, origin: 'null' })).toBe(true);
});
