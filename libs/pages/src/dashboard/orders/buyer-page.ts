import type { CustomerResource } from '@app/contracts/customers';
import type { OrderResource } from '@app/contracts/orders';
import type { PaymentResource } from '@app/contracts/payments';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { button } from '../../components/button.ts';
import { facts } from '../../components/card.ts';
import { field } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { emptyState, timeline } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { orderTable } from '../frame/order-table.ts';
import { newestFirst, paymentMoment } from '../frame/payments.ts';
import { subscriptionTable } from '../frame/subscription-table.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { customersPath, ordersPath } from './parts.ts';

const texts = {
  title: 'Find a buyer',
  email: 'Email',
  find: 'Find',
  wrong: 'Enter an email address, like ada@example.com.',
  none: (email: string) =>
    `No order, subscription or payment has the address ${email}. Test purchases are not among them.`,
  back: 'Orders',
  orders: 'Orders',
  allOrders: 'All orders of this buyer',
  noOrders: 'This buyer has no order.',
  subscriptions: 'Subscriptions',
  allSubscriptions: 'All subscriptions of this buyer',
  payments: 'Payments',
  customers: 'Customers',
  spent: 'Spent, less refunds',
  active: 'Active subscriptions',
  first: 'First purchase',
  last: 'Last purchase',
  id: 'Customer id',
  noPayments: 'Nothing was charged to this buyer.',
} as const;

const back = { href: ordersPath, label: texts.back };

/** A form for the address, also of a buyer who is not known. */
export const findBuyerPage = (email: string): DashboardPage => ({
  title: texts.title,
  back,
  main: html`${email !== '' && emptyState(texts.none(email))}${findForm(email)}`,
});

/** For what is no address. */
export const wrongBuyerPage = (email: string): DashboardPage => ({
  title: texts.title,
  back,
  main: findForm(email, texts.wrong),
});

function findForm(email: string, error?: string): Html {
  const input = field({
    name: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    isRequired: true,
    maxLength: 254,
    error,
  });
  return html`<form class="stack form" role="search" action="/app/buyers">${input}<div class="buttons">${button({
    label: texts.find,
    kind: 'accent',
  })}</div></form>`;
}

export interface BuyerContent {
  /** Undefined for a buyer who has no order. */
  readonly customer?: CustomerResource;
  readonly email: string;
  readonly orders: readonly OrderResource[];
  readonly subscriptions: readonly SubscriptionResource[];
  readonly payments: readonly PaymentResource[];
}

export function buyerPage(
  { customer, email, orders, subscriptions, payments }: BuyerContent,
  formats: Formats,
): DashboardPage {
  const name = customer?.name ?? '';
  const of = (path: string, key: string, label: string): Html =>
    html`<p class="small"><a href="${path}?${key}=${encodeURIComponent(email)}">${label}</a></p>`;
  const ordered = html`${orderTable(orders, texts.orders, formats, true)}${of(ordersPath, 'q', texts.allOrders)}`;
  const subscribed = html`<section class="stack tight"><h2>${texts.subscriptions}</h2>${subscriptionTable(
    subscriptions,
    texts.subscriptions,
    formats,
    true,
  )}${of('/app/subscriptions', 'email', texts.allSubscriptions)}</section>`;
  return {
    title: email,
    heading: html`<bdi>${email}</bdi>`,
    back: customer === undefined ? back : { href: customersPath, label: texts.customers },
    about: name === '' ? html`` : html`<p class="quiet"><bdi>${name}</bdi></p>`,
    main: html`${customer !== undefined && summary(customer, formats)}<section class="stack tight"><h2>${texts.orders}</h2>${orders.length === 0 ? html`<p class="quiet">${texts.noOrders}</p>` : ordered}</section>
${subscriptions.length > 0 && subscribed}
<section class="stack tight"><h2>${texts.payments}</h2>${payments.length === 0 ? html`<p class="quiet">${texts.noPayments}</p>` : payed(payments, formats)}</section>`,
  };
}

const summary = (customer: CustomerResource, formats: Formats): Html =>
  html`<section class="card">${facts([
    [texts.spent, spentOf(customer, formats)],
    [texts.orders, formats.count(customer.orders)],
    [texts.active, formats.count(customer.active_subscriptions)],
    [texts.first, when(customer.first_purchase_at, formats)],
    [texts.last, when(customer.last_purchase_at, formats)],
    [texts.id, html`<code class="small">${customer.id}</code>`],
  ])}</section>
`;

const spentOf = ({ spent }: CustomerResource, formats: Formats): Html =>
  html`${spent.map(({ currency, amount_cents }, index) => html`${index > 0 && ' + '}${money(formats.amount(amount_cents, currency))}`)}`;

const payed = (payments: readonly PaymentResource[], formats: Formats): Html =>
  timeline(newestFirst(payments.map((payment) => paymentMoment(payment, formats, orderLink(payment)))));

const orderLink = ({ order_id, product_name }: PaymentResource): Html =>
  html`<a href="${ordersPath}/${order_id}"><bdi>${product_name}</bdi></a>`;
