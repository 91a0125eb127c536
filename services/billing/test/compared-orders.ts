import type { ComparedOrder } from '@app/contracts/order-comparisons';

/** A paid order of 49 dollars, a day before the clock of the replicas. */
export const paidOrder = (orderId: string, fields: Partial<ComparedOrder> = {}): ComparedOrder => ({
  ...{ orderId, status: 'paid', source: 'checkout', totalCents: 4900, currency: 'usd' },
  refundedCents: 0,
  changedAt: '2026-01-01T12:00:00.000Z',
  subscription: null,
  ...fields,
});

export const apiOrder = (orderId: string): ComparedOrder => paidOrder(orderId, { source: 'api' });
