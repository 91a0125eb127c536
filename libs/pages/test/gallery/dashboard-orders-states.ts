import type { CustomerResource } from '@app/contracts/customers';
import type { UnfinishedCheckout } from '@app/contracts/unfinished-checkouts';
import { immediateAccessText, type WithdrawalResource } from '@app/contracts/withdrawals';
import { exportLink } from '../../src/dashboard/frame/exports.ts';
import { freshForm } from '../../src/dashboard/frame/forms.ts';
import { buyerPage, findBuyerPage } from '../../src/dashboard/orders/buyer-page.ts';
import { checkoutsPage } from '../../src/dashboard/orders/checkouts-page.ts';
import { customersPage } from '../../src/dashboard/orders/customers-page.ts';
import { orderPage } from '../../src/dashboard/orders/order-page.ts';
import { type OrderFilters, ordersPage } from '../../src/dashboard/orders/orders-page.ts';
import { paymentRefundPage } from '../../src/dashboard/orders/payment-refund-page.ts';
import { receiptPage } from '../../src/dashboard/orders/receipt-page.ts';
import { recordPage } from '../../src/dashboard/orders/record-page.ts';
import { type RefundContent, refundPage } from '../../src/dashboard/orders/refund-page.ts';
import { releasePage } from '../../src/dashboard/orders/release-page.ts';
import { fieldsOf, withdrawalsPage } from '../../src/dashboard/orders/withdrawals-page.ts';
import { type Html, html } from '../../src/html.ts';
import {
  activity,
  declined,
  deliveries,
  disputes,
  paidOrder,
  paymentOf,
  preview,
  subscription,
} from './dashboard-orders-samples.ts';
import { formats, inFrame, order, orderOf, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const long = orderOf({
  customer_email: `${'a'.repeat(64)}@example.com`,
  items: [{ kind: 'main', label: longName, amount_cents: 1, id: 'prd_1', access_url: null }],
});
const orders = [
  order,
  orderOf({ status: 'refunded', refunded_cents: 14_565, customer_name: arabicName }),
  orderOf({ status: 'authorized' }),
  orderOf({ refunded_cents: 2_000, total_cents: 123_456_789, dispute: 'lost' }),
  orderOf({ dispute: 'open' }),
  long,
];
const noFilters: OrderFilters = {
  q: undefined,
  status: undefined,
  dispute: undefined,
  productId: undefined,
  affiliateCode: undefined,
  from: undefined,
  to: undefined,
};
const products = [{ id: order.product_id, name: longName }];
const file = exportLink(visitAt('/app/orders', 'status=paid&before=ord_1'));
const list = { orders, products, filters: noFilters, isTest: false, formats, pager: file };

const checkout: UnfinishedCheckout = {
  id: 'cko_01jd2q5v8kfw9s3x6z7yabcdef',
  status: 'stalled',
  product_id: order.product_id,
  customer_email: order.customer_email,
  customer_name: '',
  country: null,
  discount_code: null,
  affiliate_code: null,
  reason: null,
  created_at: order.created_at,
  last_active_at: order.created_at,
  reminded_at: null,
};
const checkouts = {
  checkouts: [
    checkout,
    Object.assign({}, checkout, { customer_email: long.customer_email, reason: 'card_declined', status: 'reminded' }),
    Object.assign({}, checkout, { status: 'open' }),
    Object.assign({}, checkout, { status: 'expired', reason: 'try_again_later' }),
  ],
  names: new Map([[order.product_id, longName]]),
  products,
  filters: { status: undefined, productId: undefined },
  formats,
  pager: html``,
};

const withdrawal: WithdrawalResource = {
  id: 'wdr_01jd2q5v8kfw9s3x6z7yabcdef',
  status: 'requested',
  name: 'Ada Lovelace',
  bought: '7yabcdef',
  email: 'ada@example.com',
  statement: 'I withdraw from my contract with Ada’s Atelier about: 7yabcdef. Ada Lovelace',
  late: false,
  answer: null,
  order: {
    id: order.id,
    product_name: 'Watercolour in 30 days',
    customer_email: 'ada@example.com',
    total_cents: 14_565,
    refunded_cents: 0,
    currency: 'usd',
    status: 'paid',
    immediate_access: null,
    created_at: order.created_at,
  },
  test: false,
  requested_at: '2026-11-24T18:21:33.518Z',
  closed_at: null,
};
const withdrawalOf = (no: number, changes: Partial<WithdrawalResource>): WithdrawalResource =>
  Object.assign({}, withdrawal, { id: `wdr_01jd2q5v8kfw9s3x6z7yabcde${no}` }, changes);
const closedAt = '2026-11-25T08:02:10.004Z';
const withdrawals = {
  withdrawals: [
    withdrawal,
    withdrawalOf(1, {
      order: null,
      late: null,
      name: longName,
      statement: longName,
      email: `${'a'.repeat(64)}@example.com`,
    }),
    withdrawalOf(2, {
      ...{ late: true, email: 'other@example.com', test: true },
      order: withdrawal.order && { ...withdrawal.order, immediate_access: immediateAccessText },
    }),
    withdrawalOf(3, { status: 'accepted', closed_at: closedAt, name: arabicName }),
    withdrawalOf(4, { status: 'declined', closed_at: closedAt, answer: 'You had it for a year.' }),
  ],
  status: undefined,
  publicPath: '/p/atelier/withdraw',
  refused: null,
  formats,
  pager: html``,
};
const refusedAnswer = {
  id: withdrawal.id,
  state: {
    values: new URLSearchParams({ do: 'decline' }),
    errors: { [fieldsOf(withdrawal.id).answer]: 'The answer must not be empty.' },
    problem: null,
  },
};

const shown = {
  order: paidOrder,
  deliveries,
  activity,
  subscription,
  refund: null,
  receipt: null,
  withdrawal: undefined,
  formats,
};
const path = `/app/orders/${order.id}`;
const heldOrder = Object.assign({}, paidOrder, { status: 'authorized' });
const refund: RefundContent = {
  order: paidOrder,
  preview,
  payment: null,
  renewals: false,
  amount: null,
  automations: [],
};
const refundVisit = visitAt(`${path}/refund`);
const [charge] = preview.charges;
const partly = Object.assign({}, refund, { payment: charge?.paymentId ?? '', amount: '200' });
const sold = {
  product: {
    name: longName,
    slug: 'studio',
    currency: 'usd',
    price_cents: 2_900,
    pricing_type: 'subscription' as const,
  },
  bumps: [{ id: 'bmp_1', headline: longName, price_cents: 1_900 }],
  hasOthers: true,
};
const refusedRecord = {
  values: new URLSearchParams({ email: 'ada', test: '1' }),
  errors: { email: 'Enter an email address, like ada@example.com.' },
  problem: 'The discount code is not valid.',
};

const customer: CustomerResource = {
  id: 'cus_6zq4n8r2t5v9x1c3e7g0j4m8p2',
  email: order.customer_email,
  name: order.customer_name,
  orders: 2,
  spent: [{ currency: 'usd', amount_cents: 12_500 }],
  active_subscriptions: 1,
  first_purchase_at: order.created_at,
  last_purchase_at: order.created_at,
};
const longCustomer: CustomerResource = Object.assign({}, customer, {
  email: long.customer_email,
  name: arabicName,
  spent: [
    { currency: 'kwd', amount_cents: 123_456_789 },
    { currency: 'jpy', amount_cents: 9_999_999_999 },
    { currency: 'usd', amount_cents: 0 },
  ],
});
const unnamed = Object.assign({}, customer, { name: '', spent: [{ currency: 'usd', amount_cents: -900 }] });
const customersList = { customers: [customer, longCustomer, unnamed], q: undefined, formats, pager: html`` };

/** Orders, one order, its refund, recording one, and one buyer. */
export const dashboardOrdersStates: Readonly<Record<string, () => Html>> = {
  withdrawals: () => inFrame('/app/orders', withdrawalsPage(visitAt('/app/orders/withdrawals'), withdrawals)),
  'withdrawals-refused': () =>
    inFrame(
      '/app/orders',
      withdrawalsPage(
        visitAt('/app/orders/withdrawals'),
        Object.assign({}, withdrawals, { withdrawals: [withdrawal], refused: refusedAnswer }),
      ),
    ),
  'withdrawals-empty': () =>
    inFrame(
      '/app/orders',
      withdrawalsPage(visitAt('/app/orders/withdrawals'), Object.assign({}, withdrawals, { withdrawals: [] })),
    ),
  orders: () => inFrame('/app/orders', ordersPage(list)),
  'orders-empty': () => inFrame('/app/orders', ordersPage(Object.assign({}, list, { orders: [] }))),
  'orders-none-found': () => {
    const filters = Object.assign({}, noFilters, { q: longName, productId: 'prd_other', from: '2026-10-01' });
    return inFrame('/app/orders', ordersPage(Object.assign({}, list, { orders: [], filters })));
  },
  checkouts: () => inFrame('/app/orders/checkouts', checkoutsPage(checkouts)),
  'checkouts-stalled': () => {
    const filters = { status: 'stalled' as const, productId: 'prd_other' };
    return inFrame('/app/orders/checkouts', checkoutsPage(Object.assign({}, checkouts, { filters })));
  },
  'checkouts-empty': () =>
    inFrame('/app/orders/checkouts', checkoutsPage(Object.assign({}, checkouts, { checkouts: [] }))),
  'orders-of-a-copy': () => inFrame('/app/orders', ordersPage(list), { isCopy: true }),
  'orders-test-mode': () => inFrame('/app/orders', ordersPage(list), { testMode: true, processor: 'none' }),
  order: () => inFrame(path, orderPage(shown)),
  'order-withdrawn': () => inFrame(path, orderPage(Object.assign({}, shown, { withdrawal }))),
  'order-held': () => inFrame(path, orderPage(Object.assign({}, shown, { order: heldOrder, subscription: null }))),
  'order-expired': () => {
    const ended = Object.assign({}, paidOrder, { status: 'expired' });
    return inFrame(path, orderPage(Object.assign({}, shown, { order: ended, subscription: null })));
  },
  'receipt-again': () =>
    inFrame(
      `${path}/receipt`,
      receiptPage(visitAt(`${path}/receipt`), paidOrder, {
        values: new URLSearchParams({ email: 'ada@exmaple' }),
        errors: { email: 'Enter an email address, like ada@example.com.' },
        problem: null,
      }),
    ),
  release: () =>
    inFrame(`${path}/release`, releasePage(visitAt(`${path}/release`), heldOrder, freshForm({ typed: null }))),
  'release-refused': () => {
    const state = { values: new URLSearchParams(), errors: {}, problem: 'The hold of this order is being captured.' };
    return inFrame(`${path}/release`, releasePage(visitAt(`${path}/release`), heldOrder, state));
  },
  'order-disputed': () =>
    inFrame(
      path,
      orderPage(Object.assign({}, shown, { order: Object.assign({}, paidOrder, { disputes, dispute: 'open' }) })),
    ),
  'order-refunded': () =>
    inFrame(
      path,
      orderPage({
        order: Object.assign({}, long, {
          payments: [],
          disputes: null,
          fees: [],
          status: 'refunded',
          refunded_cents: 1,
          customer_name: arabicName,
          test: true,
        }),
        deliveries: null,
        activity: [],
        subscription: null,
        refund: 'done',
        receipt: null,
        withdrawal: undefined,
        formats,
      }),
    ),
  refund: () => inFrame(path, refundPage(refundVisit, refund, freshForm(refundVisit))),
  'refund-done-before': () => {
    const charges = preview.charges.map((each) => Object.assign({}, each, { refundCents: 0 }));
    const before = {
      order: Object.assign({}, paidOrder, { status: 'refunded' }),
      preview: Object.assign({}, preview, { charges }),
    };
    return inFrame(path, refundPage(refundVisit, Object.assign({}, refund, before), freshForm(refundVisit)));
  },
  'refund-part': () =>
    inFrame(
      path,
      charge === undefined
        ? refundPage(refundVisit, partly, freshForm(refundVisit))
        : paymentRefundPage(refundVisit, partly, charge, freshForm(refundVisit)),
    ),
  'record-order': () => inFrame('/app/orders/new', recordPage(visitAt('/app/orders/new'), sold, refusedRecord)),
  buyer: () =>
    inFrame(
      '/app/buyers',
      buyerPage(
        {
          email: long.customer_email,
          orders: [order, long],
          subscriptions: [subscription],
          payments: [declined, paymentOf({ product_name: longName })],
        },
        formats,
      ),
    ),
  customer: () =>
    inFrame(
      '/app/orders/customers/cus_1',
      buyerPage(
        {
          customer: longCustomer,
          email: long.customer_email,
          orders: [order, long],
          subscriptions: [subscription],
          payments: [],
        },
        formats,
      ),
    ),
  customers: () => inFrame('/app/orders/customers', customersPage(customersList)),
  'customers-empty': () =>
    inFrame('/app/orders/customers', customersPage(Object.assign({}, customersList, { customers: [] }))),
  'customers-none-found': () =>
    inFrame('/app/orders/customers', customersPage(Object.assign({}, customersList, { customers: [], q: longName }))),
  'buyer-unknown': () => inFrame('/app/buyers', findBuyerPage('ada@example.com')),
};
