import { newId } from '@app/contracts/ids';
import type { StartInput } from '../src/payments/start-payment.ts';

/** The first try to pay an order of 49 dollars. */
export const startInput = (fields: Partial<StartInput> = {}): StartInput => ({
  orderId: newId('order', Date.parse('2026-03-15T12:00:00.000Z')),
  tryNo: 1,
  amountCents: 4900,
  currency: 'usd',
  paymentMethod: 'sim_ok',
  customerEmail: 'buyer@example.com',
  productName: 'Course',
  test: false,
  returnUrl: null,
  hold: null,
  ...fields,
});
