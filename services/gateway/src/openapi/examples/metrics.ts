import { product } from './products.ts';

const money = {
  revenueCents: 286_700,
  orders: 42,
  refunds: 1,
  refundedCents: 6800,
  mrrCents: 0,
  activeSubscriptions: 0,
};
const sold = { netRevenueCents: 279_900, aovCents: 6826, bumpTakeRate: 0.4048, upsellTakeRate: 0.1905 };
const soldBefore = { netRevenueCents: 251_300, aovCents: 6792, bumpTakeRate: 0.3784, upsellTakeRate: 0.1622 };
const before = { ...money, revenueCents: 251_300, orders: 37, refunds: 0, refundedCents: 0 };
const visits = { views: 1120, conversionRate: 0.0375, checkoutOrders: 42 };
const visitsBefore = { views: 1055, conversionRate: 0.0351, checkoutOrders: 37 };
const span = { from: '2026-11-01', to: '2026-11-30' };

const aovFormula = 'orderCents ÷ orders, rounded half up: the average total of an order.';

/** Of sales figures, by operation. */
export const metricsExamples = {
  getOverview: {
    response: {
      ...span,
      previous: { from: '2026-10-02', to: '2026-10-31' },
      by: 'month',
      currencies: [
        {
          currency: 'usd',
          current: { ...money, ...sold },
          previous: { ...before, ...soldBefore },
          series: [{ date: '2026-11', ...money }],
        },
      ],
      visits: { current: visits, previous: visitsBefore, series: [{ date: '2026-11', ...visits }] },
      products: [
        {
          id: product.id,
          name: product.name,
          pricingType: product.pricing_type,
          currency: 'usd',
          ...money,
          ...sold,
          ...visits,
        },
      ],
      productCount: 1,
    },
  },
  getRetention: {
    response: {
      data: [
        { month: '2026-09', started: 40, active: [40, 36, 33] },
        { month: '2026-10', started: 52, active: [51, 47] },
        { month: '2026-11', started: 18, active: [18] },
      ],
    },
  },
  getFees: {
    response: { ...span, data: [{ currency: 'usd', fee_currency: 'usd', charges_cents: 9574, disputes_cents: 1500 }] },
  },
  getMetrics: {
    response: {
      product: { id: product.id, name: product.name, pricingType: product.pricing_type, currency: 'usd' },
      summary: {
        revenueCents: 286_700,
        orders: 42,
        aovCents: 6826,
        bumpTakeRate: 0.4048,
        upsellTakeRate: 0.1905,
        activeSubscriptions: 0,
        mrrCents: 0,
        refunds: 1,
        refundedCents: 6800,
        refundRate: 0.0238,
        views: 1120,
        conversionRate: 0.0375,
        customers: 41,
      },
      revenueByMonth: [{ month: '2026-11', value: 286_700 }],
      mrrByMonth: [],
      churnByMonth: [],
    },
  },
  getMetricSeries: {
    response: {
      metric: 'aovCents',
      currency: 'usd',
      formula: aovFormula,
      version: 1,
      data: [
        { month: '2026-10', value: 6792 },
        { month: '2026-11', value: 6826 },
      ],
    },
  },
  explainMetric: {
    response: {
      metric: 'aovCents',
      currency: 'usd',
      month: '2026-11',
      value: 6826,
      formula: aovFormula,
      version: 1,
      parts: { orderCents: 286_700, orders: 42 },
      data: [
        {
          id: 'evt_01kahv7w9ye5m8q2r6t9y0b4cf',
          kind: 'order_paid',
          subject: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd',
          occurred_at: '2026-11-20T09:30:13.120Z',
          currency: 'usd',
          values: { orderCents: 6800, orders: 1 },
        },
      ],
      next: 'evt_01kahv7w9ye5m8q2r6t9y0b4cf',
    },
  },
};
