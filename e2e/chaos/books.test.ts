import { expect, test } from 'vitest';
import { sharedPlatform } from '../support/shared-platform.ts';
import { readBooks } from './books.ts';

test('the books that chaos compares are read from the tables of today', async () => {
  const cluster = await sharedPlatform();
  const books = await readBooks({ cluster, later: { nowMs: Date.now } });
  expect(Object.values(books).every(Array.isArray)).toBe(true);
});
