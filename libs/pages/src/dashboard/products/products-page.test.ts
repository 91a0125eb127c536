import { expect, test } from 'vitest';
import { product } from '../../../test/gallery/dashboard-products-samples.ts';
import { formatsFor } from '../../formats.ts';
import { html } from '../../html.ts';
import { productsPage } from './products-page.ts';

test('a row of products on a phone ends with the price, and not with an amount that reads as one', () => {
  const sold = new Map([[product.id, { orders: 43, revenueCents: 1_141_795 }]]);
  const page = { products: [product], sold, formats: formatsFor('en-US'), pager: html`` };
  const cells = productsPage(page).main.text.match(/<td class="end">.*?<\/td>/gs) ?? [];
  expect(cells).toHaveLength(1);
  expect(cells[0]).toContain('$149.00');
});
