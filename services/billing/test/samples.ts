import { newId } from '@app/contracts/ids';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';

/** The time of all samples: ids made at one time sort in the order they were made. */
export const nowMs = Date.parse('2026-01-31T12:00:00.000Z');

/** A paid order of a monthly product that gave no payment method by default. */
export function orderEvent(accountId: string, fields: Partial<PaidOrder> = {}) {
  const data = paidOrder(nowMs, {
    ...{ productName: 'Club', productSlug: 'club', pricingType: 'subscription', billingInterval: 'month' },
    ...{ customerEmail: 'buyer@example.com', customerName: 'Buyer', priceCents: 1_900, totalCents: 1_400 },
    items: [
      { kind: 'main', label: 'Club', amountCents: 1_900 },
      { kind: 'discount', label: 'WELCOME', amountCents: -500 },
    ],
    ...fields,
  });
  return { id: newId('event', nowMs), accountId, data };
}
