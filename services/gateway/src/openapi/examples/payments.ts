import { payment } from './orders.ts';

/** Of payments and their processor, by operation. */
export const paymentExamples = {
  listPayments: { response: { data: [payment] } },
  getPayment: { response: payment },
  getPaymentProcessor: {
    response: { processor: 'simulated', secrets: [], updated_at: null, version: 1, stripe: null },
  },
  putPaymentProcessor: {
    body: { processor: 'stripe', live: { secretKey: 'rk_live_51Hx', publishableKey: 'pk_live_51Hx' } },
    response: {
      processor: 'stripe',
      secrets: ['live.secretKey'],
      updated_at: '2026-11-20T09:00:00.000Z',
      version: 2,
      stripe: {
        live: {
          account: 'acct_1Hx',
          account_name: 'Maya Paints',
          publishable_key: 'pk_live_51Hx',
          stored_at: '2026-11-20T09:00:00.000Z',
          settlement_currency: 'eur',
          charges_enabled: true,
          disabled_reason: null,
          requirements_due: [],
          account_checked_at: '2026-11-20T09:00:00.000Z',
          missing_permissions: [],
          webhooks: 'active',
          left_endpoints: [],
          last_event_at: '2026-11-20T10:15:00.000Z',
          wallets: {
            status: 'registered',
            domains: [{ domain: 'shop.example', apple_pay: 'active', google_pay: 'active', detail: null }],
          },
        },
        test: null,
      },
    },
  },
};
