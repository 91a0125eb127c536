import type { UnfinishedCheckout } from '@app/contracts/unfinished-checkouts';
import { exportLink } from '../../src/dashboard/frame/exports.ts';
import { freshForm } from '../../src/dashboard/frame/forms.ts';
import { buyerPage, findBuyerPage } from '../../src/dashboard/orders/buyer-page.ts';
import { checkoutsPage } from '../../src/dashboard/orders/checkouts-page.ts';
import { orderPage } from '../../src/dashboard/orders/order-page.ts';
import { type OrderFilters, ordersPage } from '../../src/dashboard/orders/orders-page.ts';
import { paymentRefundPage } from '../../src/dashboard/orders/payment-refund-page.ts';
import { receiptPage } from '../../src/dashboard/orders/receipt-page.ts';
import { recordPage } from '../../src/dashboard/orders/record-page.ts';
import { type RefundContent, refundPage } from '../../src/dashboard/orders/refund-page.ts';
import { releasePage } from '../../src/dashboard/orders/release-page.ts';
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

const shown = { order: paidOrder, deliveries, activity, subscription, refund: null, formats };
const path = `/app/orders/${order.id}`;
const heldOrder = Object.assign({}, paidOrder, { status: 'authorized' });
const refund: RefundContent = { order: paidOrder, preview, payment: null, renewals: false, amount: null };
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
  errors: { email: 'Email of the buyer must be an email address.' },
  problem: 'The discount code is not valid.',
};

/** Orders, one order, its refund, recording one, and one buyer. */
export const dashboardOrdersStates: Readonly<Record<string, () => Html>> = {
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
  'buyer-unknown': () => inFrame('/app/buyers', findBuyerPage('ada@example.com')),
};
