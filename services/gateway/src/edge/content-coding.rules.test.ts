import { expect, test } from 'vitest';
import { codingOf, mayCompress, namesTag } from './content-coding.rules.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5, br;q=0', 'gzip'],
  ['br;q=0.0', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzip;q=1, *;q=0', 'gzip'],
  ['identity', undefined],
  ['brotli, x-gzip', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding %j gets %j', (header, coding) => {
  expect(codingOf(header)).toBe(coding);
});

test.each([
  ['W/"a"', true],
  ['W/"b", W/"a"', true],
  ['*', true],
  ['W/"b"', false],
  ['"a"', false],
  [undefined, false],
])('If-None-Match %j of the tag W/"a" is %j', (header, isNamed) => {
  expect(namesTag(header, 'W/"a"')).toBe(isNamed);
});

test('what may hold a secret is compressed for programs with a key alone', () => {
  const cacheControl = 'private, no-store';
  for (const secFetchSite of ['same-origin', 'none', 'cross-site', undefined]) {
    for (const hasCookie of [true, false]) {
      expect(mayCompress({ cacheControl, hasCookie, secFetchSite, hasKey: false })).toBe(false);
      const isProgram = secFetchSite === undefined && !hasCookie;
      expect(mayCompress({ cacheControl, hasCookie, secFetchSite, hasKey: true })).toBe(isProgram);
    }
  }
});

test('what another site requests with a cookie is compressed only where it is the same for all', () => {
  const compressed = (cacheControl: string, hasCookie: boolean) =>
    ['same-origin', 'none', 'same-site', 'cross-site', undefined].filter((secFetchSite) =>
      mayCompress({ cacheControl, hasCookie, secFetchSite, hasKey: false }),
    );
  const all = ['same-origin', 'none', 'same-site', 'cross-site', undefined];
  expect(compressed('public, max-age=300', true)).toEqual(all);
  expect(compressed('private, no-cache', false)).toEqual(all);
  expect(compressed('private, no-cache', true)).toEqual(['same-origin', 'none']);
});
