import { expect, test } from 'vitest';
import { paidOrder, preview } from '../../../test/gallery/dashboard-orders-samples.ts';
import { visitAt } from '../../../test/gallery/dashboard-samples.ts';
import { freshForm } from '../frame/forms.ts';
import { paymentRefundPage } from './payment-refund-page.ts';
import type { RefundContent } from './refund-page.ts';

const automation: RefundContent['automations'][number] = {
  id: 'aut_01jd2q5v8kfw9s3x6z7yabcdef',
  name: 'Notice of a refund in part',
  built_in: 'partial_refund_notice',
  active: true,
  switched_off: null,
  available: true,
  event: 'payment.refunded',
  product_id: null,
  action: { type: 'email', to: 'buyer', subject: 'Refund', body: 'Hello' },
  previous_secret_expires_at: null,
  created_at: paidOrder.created_at,
  updated_at: paidOrder.created_at,
};
const whole = {
  ...automation,
  name: 'Notice of a refund',
  built_in: 'refund_notice',
  event: 'order.refunded',
} as const;

test('a refund of a part names the email that its buyer gets: another one where the last money goes back', () => {
  const charge = { ...preview.charges[0], renewal: false, amountCents: 1000, refundedCents: 0, refundCents: 1000 };
  const paymentId = 'pay_1';
  const taken = { ...charge, paymentId, currency: paidOrder.currency };
  const visit = visitAt(`/app/orders/${paidOrder.id}/refund`);
  const shown = (amount: string | null, changes: Partial<typeof automation> = {}): string => {
    const of = { order: paidOrder, preview: { ...preview, charges: [taken] }, renewals: false };
    const automations = [{ ...automation, ...changes }, whole];
    return paymentRefundPage(visit, { ...of, payment: paymentId, amount, automations }, taken, freshForm(visit)).main
      .text;
  };
  expect(shown('4')).toContain('gets the email “<bdi>Notice of a refund in part</bdi>”');
  expect(shown('4')).not.toContain('“<bdi>Notice of a refund</bdi>”');
  expect(shown(null)).toContain('“<bdi>Notice of a refund</bdi>”');
  expect(shown(null)).not.toContain('in part');
  expect(shown('4', { active: false })).not.toContain('gets the email');
  expect(shown('4', { product_id: 'prd_other' })).not.toContain('gets the email');
});
