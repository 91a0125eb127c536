import { testDelivery } from './deliveries.ts';
import { orderId, paymentId } from './orders.ts';

/** Of refunds and releases, by operation. */
export const refundExamples = {
  resendReceipt: {
    body: { email: 'maya.lindqvist@example.com' },
    response: { ...testDelivery, url: 'mailto:maya.lindqvist@example.com', test: false },
  },
  releaseOrder: {
    response: { ok: true, orderId, status: 'released', detail: 'The order has ended, and nothing was charged.' },
  },
  refundOrder: {
    body: { renewals: false },
    response: {
      ok: true,
      orderId,
      status: 'refunded',
      refundedCents: 6800,
      detail: 'The buyer gets $68.00 back.',
      payments: [{ paymentId, renewal: false, amountCents: 6800 }],
    },
  },
  previewRefund: {
    response: {
      orderId,
      possible: true,
      subscription: null,
      charges: [{ paymentId, renewal: false, amountCents: 6800, refundedCents: 0, refundCents: 6800, currency: 'usd' }],
      commissions: [{ affiliateCode: 'ANNA', renewal: false, amountCents: 1360, currency: 'usd' }],
      emails: [{ name: 'Notice of a refund to the buyer', to: 'buyer' }],
      webhooks: [
        { event: 'payment.refunded', count: 1 },
        { event: 'order.refunded', count: 1 },
      ],
    },
  },
  refundPayment: {
    body: { amountCents: 1000 },
    response: {
      ok: true,
      paymentId,
      orderId,
      status: 'refunded',
      amountCents: 1000,
      refundedCents: 1000,
      detail: 'The buyer gets $10.00 back. Of $68.00, $10.00 went back in all.',
    },
  },
};
