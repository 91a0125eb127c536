import type { OrderResource } from '@app/contracts/orders';
import type { PaymentResource } from '@app/contracts/payments';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { emptyState, timeline } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { orderTable } from '../frame/order-table.ts';
import { newestFirst, paymentMoment } from '../frame/payments.ts';
import { subscriptionTable } from '../frame/subscription-table.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';

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

interface BuyerContent {
  readonly email: string;
  readonly orders: readonly OrderResource[];
  readonly subscriptions: readonly SubscriptionResource[];
  readonly payments: readonly PaymentResource[];
}

export function buyerPage({ email, orders, subscriptions, payments }: BuyerContent, formats: Formats): DashboardPage {
  const name = orders.find(({ customer_name }) => customer_name !== '')?.customer_name;
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
    back,
    about: name === undefined ? html`` : html`<p class="quiet"><bdi>${name}</bdi></p>`,
    main: html`<section class="stack tight"><h2>${texts.orders}</h2>${orders.length === 0 ? html`<p class="quiet">${texts.noOrders}</p>` : ordered}</section>
${subscriptions.length > 0 && subscribed}
<section class="stack tight"><h2>${texts.payments}</h2>${payments.length === 0 ? html`<p class="quiet">${texts.noPayments}</p>` : payed(payments, formats)}</section>`,
  };
}

const payed = (payments: readonly PaymentResource[], formats: Formats): Html =>
  timeline(newestFirst(payments.map((payment) => paymentMoment(payment, formats, orderLink(payment)))));

const orderLink = ({ order_id, product_name }: PaymentResource): Html =>
  html`<a href="${ordersPath}/${order_id}"><bdi>${product_name}</bdi></a>`;
