import { expect, test } from 'vitest';
import { visitAt } from '../../../test/gallery/dashboard-samples.ts';
import { deliveryOf } from '../../../test/gallery/dashboard-tools-samples.ts';
import { deliveryPage } from './delivery-page.ts';

test('the delivery of a sale leads to its order, and that of a test, which may be of none, does not', () => {
  const shown = (test: boolean): string =>
    deliveryPage(visitAt('/app/activity'), { delivery: deliveryOf({ test }), problem: null }).main.text;
  expect(shown(false)).toContain('Open the order');
  expect(shown(true)).not.toContain('/app/orders/');
});
