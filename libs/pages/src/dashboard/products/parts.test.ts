import { expect, test } from 'vitest';
import { linkIn } from './parts.ts';

test('a link without its beginning is one of https, and nothing is none', () => {
  expect(['', 'site.com/course', 'localhost:3000/a', 'http://site.com', 'https://site.com'].map(linkIn)).toEqual([
    ...[null, 'https://site.com/course', 'https://localhost:3000/a', 'http://site.com', 'https://site.com'],
  ]);
});

test('a link of another scheme stays as it was typed, and is refused', () => {
  for (const typed of ['ftp:/x', 'ftp://x.com/a', 'mailto:ada@example.com', 'javascript:alert(1)'])
    expect(linkIn(typed)).toBe(typed);
  expect(linkIn('site.com:8443/course')).toBe('https://site.com:8443/course');
});
