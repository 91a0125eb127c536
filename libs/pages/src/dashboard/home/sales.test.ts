import { expect, test } from 'vitest';
import { overview } from '../../../test/gallery/dashboard-numbers-states.ts';
import { order } from '../../../test/gallery/dashboard-samples.ts';
import { formatsFor } from '../../formats.ts';
import { sales } from './sales.ts';

test('both lines of a product stand beside its picture, and its amount on the first', () => {
  const pictures = new Map([[order.product_id, '/images/one.webp']]);
  const shown = sales({ overview, currency: 'usd', orders: [order], pictures, formats: formatsFor('en-US') }).text;
  const rows = shown.match(/<a class="row pictured" [^>]*><(?:img|span) class="thumb".*?<\/a>/gs) ?? [];
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows)
    expect(row).toMatch(
      /<span class="line"><span class="label"><bdi>[^<]*<\/bdi><\/span><span class="end"><bdi class="amount">/,
    );
});
