import { expect, test } from 'vitest';
import { linkIn } from './parts.ts';

test('a link without its beginning is one of https, and nothing is none', () => {
  expect(['', 'site.com/course', 'localhost:3000/a', 'http://site.com', 'https://site.com'].map(linkIn)).toEqual([
    ...[null, 'https://site.com/course', 'https://localhost:3000/a', 'http://site.com', 'https://site.com'],
  ]);
});
