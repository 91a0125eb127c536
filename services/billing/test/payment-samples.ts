import { newId } from '@app/contracts/ids';
import type { StartInput } from '../src/charging/new-attempt.ts';

/** Later than the clocks of tests: a processor has forgotten no key of such an order. */
const madeAt = Date.parse('2036-01-01T00:00:00.000Z');

/** The first attempt to pay an order of 49 dollars. */
export const startInput = (fields: Partial<StartInput> = {}): StartInput => ({
  orderId: newId('order', madeAt),
  attemptNo: 1,
  begunAt: new Date(madeAt).toISOString(),
  amountCents: 4900,
  currency: 'usd',
  paymentMethod: 'sim_ok',
  customerEmail: 'buyer@example.com',
  productName: 'Course',
  test: false,
  returnUrl: null,
  confirmsByScript: false,
  hold: null,
  savesCard: true,
  ...fields,
});

export const upsell = { upsellId: 'ups_1', headline: 'More', amountCents: 1500 };
