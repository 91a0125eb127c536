import { orderId } from './orders.ts';

const declared = { name: 'Maya Lindqvist', bought: 't9y0b4cd', email: 'maya@example.com' };
const draft = {
  ...declared,
  seller: 'Maya Paints',
  statement: 'I withdraw from my contract with Maya Paints about: t9y0b4cd. Maya Lindqvist',
};
const withdrawal = {
  id: 'wdr_01kb3n5p7r9t1v3x5z7b9d1f3h',
  status: 'requested',
  ...declared,
  statement: draft.statement,
  late: false,
  answer: null,
  order: {
    id: orderId,
    product_name: 'Watercolour Course',
    customer_email: 'maya@example.com',
    total_cents: 6800,
    refunded_cents: 0,
    currency: 'usd',
    status: 'paid',
    immediate_access: null,
    created_at: '2026-11-20T09:30:12.345Z',
  },
  test: false,
  requested_at: '2026-11-24T18:21:33.518Z',
  closed_at: null,
};

/** Of withdrawals, by operation. */
export const withdrawalExamples = {
  requestWithdrawal: { body: { handle: 'maya-paints', ...declared }, response: draft },
  confirmWithdrawal: {
    body: { handle: 'maya-paints', ...declared },
    response: { ...draft, receivedAt: '2026-11-24T18:21:33.518Z' },
  },
  listWithdrawals: { response: { data: [withdrawal] } },
  closeWithdrawal: {
    body: { status: 'accepted' },
    response: { ...withdrawal, status: 'accepted', closed_at: '2026-11-25T08:02:10.004Z' },
  },
};
