import { order, orderId } from './orders.ts';

const affiliate = {
  id: 'aff_01kaf2m4x5z7b9d1f3h5j7k9mq',
  code: 'ANNA',
  name: 'Anna Berg',
  email: 'anna@example.com',
  commission_percent: 30,
  commission_cents: null,
  renewal_months: 12,
  created_at: '2026-11-01T08:00:00.000Z',
};
const balances = [{ currency: 'usd', pending_cents: 0, due_cents: 0, paid_cents: 2040 }];

const payout = {
  id: 'pay_01kb2c4d6e8f0g2h4j6k8m0n2p',
  affiliate_code: affiliate.code,
  amount_cents: 2040,
  currency: 'usd',
  commission_count: 1,
  created_at: '2026-12-21T08:00:00.000Z',
};
const paidOut = {
  id: 'led_01kb2c4d6e8f0g2h4j6k8m0n3q',
  kind: 'payout',
  order_id: null,
  payout_id: payout.id,
  amount_cents: -2040,
  balance_cents: 0,
  currency: 'usd',
  created_at: payout.created_at,
};
const earned = {
  id: 'led_01kahv7w9ye5m8q2r6t9y0b4ce',
  kind: 'commission',
  order_id: orderId,
  payout_id: null,
  amount_cents: 2040,
  balance_cents: 2040,
  currency: 'usd',
  created_at: order.created_at,
};

/** Of affiliates and what they earn, by operation. */
export const affiliateExamples = {
  listAffiliates: { response: { data: [{ ...affiliate, balances }] } },
  getAffiliate: { response: { ...affiliate, balances } },
  createAffiliate: {
    body: {
      code: affiliate.code,
      name: affiliate.name,
      email: affiliate.email,
      commissionPercent: affiliate.commission_percent,
      renewalMonths: affiliate.renewal_months,
    },
    response: affiliate,
  },
  updateAffiliate: { body: { commissionPercent: 25 }, response: { ...affiliate, commission_percent: 25 } },
  listCommissions: {
    response: {
      data: [
        {
          id: 'com_01kahv7w3xe5m8q2r6t9y0b4cd',
          order_id: orderId,
          amount_cents: 2040,
          currency: 'usd',
          status: 'paid',
          created_at: order.created_at,
          kind: 'sale',
          due_at: '2026-12-20T09:30:12.345Z',
          payout_id: payout.id,
        },
      ],
    },
  },
  getAffiliateStatement: { response: { balances, data: [paidOut, earned], has_more: false } },
  exportStatement: {
    response:
      'id,created_at,time_zone,kind,order_id,payout_id,amount,balance,currency\r\n' +
      `${paidOut.id},2026-12-21 08:00:00,UTC,payout,,${payout.id},-20.40,0.00,usd\r\n` +
      `${earned.id},2026-11-20 09:30:12,UTC,commission,${orderId},,20.40,20.40,usd\r\n`,
  },
  createPayout: { body: { currency: 'usd' }, response: payout },
  listPayouts: { response: { data: [payout] } },
};
