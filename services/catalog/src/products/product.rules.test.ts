import { productStatus } from '@app/contracts/products';
import { expect, test } from 'vitest';
import { canMove } from './product.rules.ts';

test('a product goes from draft to live or archived, between live and archived, and nowhere else', () => {
  const allowed = productStatus.options.flatMap((start) =>
    productStatus.options.filter((end) => start !== end && canMove(start, end)).map((end) => `${start} to ${end}`),
  );
  expect(allowed).toEqual(['draft to live', 'draft to archived', 'live to archived', 'archived to live']);
});

test('naming the status a product has is no move', () => {
  for (const status of productStatus.options) expect(canMove(status, status)).toBe(true);
});
