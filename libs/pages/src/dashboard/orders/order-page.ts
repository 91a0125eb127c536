import { countryName } from '@app/contracts/countries';
import { orderNumber } from '@app/contracts/order-number';
import type { OrderWithPayments } from '@app/contracts/orders';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import type { ActivityEntry, DeliveryResource } from '@app/contracts/webhook-deliveries';
import type { WithdrawalResource } from '@app/contracts/withdrawals';
import { lineLabel } from '../../checkout/parts.ts';
import { linkButton } from '../../components/button.ts';
import { card, facts, fold } from '../../components/card.ts';
import { lines, money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { copyField, timeline } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { buyerPath } from '../frame/addresses.ts';
import { disputeBadge, orderBadge, subscriptionBadge, testBadge } from '../frame/badges.ts';
import { feesIn, otherFees } from '../frame/fees.ts';
import { productOf } from '../frame/order-table.ts';
import { newestFirst } from '../frame/payments.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { disputeNotices } from './order-disputes.ts';
import { deliveryMoments, orderMoments } from './order-timeline.ts';
import { ordersPath, testOrdersPath, withdrawalsPath } from './parts.ts';

const texts = {
  back: 'Orders',
  testBack: 'Test orders',
  refund: 'Refund',
  refundRest: 'Refund the rest',
  release: 'Release the hold',
  held: (amount: string) =>
    `${amount} is reserved on the buyer’s card, and is charged once the buyer has decided on the upsell, or the time for that is over. It can be refunded then. To end the order without a charge, release the hold.`,
  expired: 'The order has ended unpaid: nothing was charged, and it is in no list.',
  releasing:
    'The payment processor has not answered yet that the hold is released. Nothing is charged, and the order ends when it has.',
  refunded: 'The money is on its way back to the buyer. Banks take a few days to show it.',
  recorded: 'The order is refunded. No money moved: give it back where you took it.',
  processing:
    'The payment processor has not answered yet whether it gave the money back. The timeline shows it when it has.',
  items: 'Items',
  total: 'Total',
  goneBack: 'Refunded',
  left: 'Left',
  fees: 'Fees of the payment processor',
  afterFees: 'After fees',
  timeline: 'Timeline',
  noDeliveries: 'Emails and webhooks could not be read: load the page again.',
  moreActivity: 'Emails and webhooks of this order',
  withdrawal: 'A withdrawal from the contract was declared for this order',
  answerWithdrawal: 'Answer it',
  receiptAgain: 'Send the receipt again',
  receiptSent: 'The receipt was sent to',
  receiptGoes: 'The receipt is on its way. Load the page again to see whether it arrived at the mail server.',
  receiptFailed: 'The receipt was not sent:',
  buyer: 'Buyer',
  email: 'Email',
  name: 'Name',
  country: 'Country',
  order: 'Order',
  product: 'Product',
  placed: 'Placed',
  sent: (count: string) => `Emails and webhooks · ${count}`,
  affiliate: 'Affiliate code',
  consent: 'Consent to immediate access',
  subscription: 'Subscription',
  number: 'Order number',
  id: 'Order id',
} as const;

interface OrderContent {
  readonly order: OrderWithPayments;
  /** Null where they could not be read. */
  readonly deliveries: readonly DeliveryResource[] | null;
  readonly activity: readonly ActivityEntry[];
  /** One that waits for an answer. */
  readonly withdrawal: WithdrawalResource | undefined;
  /** The one that it began. */
  readonly subscription: SubscriptionResource | null;
  /** What the address says of a refund that was made before. */
  readonly refund: string | null;
  /** The id of the email that the address says was sent again. */
  readonly receipt: string | null;
  readonly formats: Formats;
}

export function orderPage(content: OrderContent): DashboardPage {
  const { order, formats } = content;
  const amount = formats.amount(order.total_cents, order.currency);
  return {
    title: order.customer_email,
    heading: html`<bdi>${order.customer_email}</bdi>`,
    back: order.test ? { href: testOrdersPath, label: texts.testBack } : { href: ordersPath, label: texts.back },
    about: html`<p>${money(amount)} ${orderBadge(order, formats)} ${disputeBadge(order)} ${testBadge(order)}</p>`,
    action: action(order),
    main: html`${disputeNotices(order, formats)}${withdrawalNotice(content)}${notices(content)}${receiptNotice(content)}<div class="two-columns"><div class="stack">${itemsCard(order, formats)}${card(
      texts.timeline,
      html`${timeline(newestFirst(orderMoments(content)))}${sentFold(content)}`,
    )}</div><div class="stack">${buyerCard(order)}${orderCard(content)}</div></div>`,
  };
}

/** What was sent because of it: folded, unless something of it did not arrive. */
function sentFold({ order, deliveries, activity, formats }: OrderContent): Html {
  if (deliveries === null) return notice('warn', texts.noDeliveries);
  const all = deliveryMoments({ deliveries, activity, formats });
  const more = html`<p class="small"><a href="/app/activity?orderId=${order.id}">${texts.moreActivity}</a></p>`;
  if (all.length === 0) return more;
  const isOpen = deliveries.some(({ status }) => status === 'failed');
  return fold(
    texts.sent(formats.count(all.length)),
    html`<div class="stack">${timeline(newestFirst(all))}${more}</div>`,
    { isOpen },
  );
}

function action(order: OrderWithPayments): Html {
  if (order.status === 'authorized')
    return linkButton({ label: texts.release, href: `${ordersPath}/${order.id}/release` });
  if (order.status !== 'paid') return html``;
  const label = hasRefund(order) ? texts.refundRest : texts.refund;
  return linkButton({ label, href: `${ordersPath}/${order.id}/refund` });
}

/** The payments show it before the order does, which counts it from an event. */
const hasRefund = ({ refunded_cents, payments }: OrderWithPayments): boolean =>
  refunded_cents > 0 || payments.some(({ step, status }) => step === 'refund' && status === 'succeeded');

/** What the address says is said only of an order that agrees: anyone can send a link. */
function notices({ order, refund, formats }: OrderContent): Html {
  const { status, payments } = order;
  if (status === 'expired') return notice('info', texts.expired);
  if (status === 'authorized' && isReleasing(order)) return notice('info', texts.releasing);
  if (status === 'authorized') return notice('info', texts.held(formats.amount(order.total_cents, order.currency)));
  const isOpen = payments.some(
    ({ step, status }) => step === 'refund' && status !== 'succeeded' && status !== 'declined',
  );
  if (refund === 'processing' && isOpen) return notice('info', texts.processing);
  if (refund !== 'done') return html``;
  if (hasRefund(order)) return notice('good', texts.refunded);
  return status === 'refunded' ? notice('good', texts.recorded) : html``;
}

function withdrawalNotice({ withdrawal, formats }: OrderContent): Html {
  if (withdrawal === undefined) return html``;
  const { id, requested_at: at } = withdrawal;
  const answer = html`<a href="${withdrawalsPath}#${id}">${texts.answerWithdrawal}</a>`;
  return notice('warn', html`${texts.withdrawal}: ${when(at, formats)}. ${answer}`);
}

/** What has become of the receipt that was sent again. */
function receiptNotice({ deliveries, receipt }: OrderContent): Html {
  const sent = receipt === null ? undefined : deliveries?.find(({ id }) => id === receipt);
  if (sent === undefined) return html``;
  const { status, url, reason } = sent;
  if (status === 'failed' || status === 'canceled') return notice('bad', `${texts.receiptFailed} ${reason}`);
  if (status !== 'delivered' || url === null) return notice('info', texts.receiptGoes);
  return notice('good', html`${texts.receiptSent} <bdi>${url.replace(/^mailto:/, '')}</bdi>.`);
}

/** A release of the hold has no outcome yet; a released payment of another try is none. */
const isReleasing = ({ payments }: OrderWithPayments): boolean =>
  payments.some(({ step, status }) => step === 'release' && status !== 'succeeded' && status !== 'declined');

function itemsCard(order: OrderWithPayments, formats: Formats): Html {
  const amount = (cents: number) => formats.amount(cents, order.currency);
  const items = order.items.map(({ kind, label, amount_cents }) => ({
    label: lineLabel(kind, label),
    amount: amount(amount_cents),
  }));
  const paid = { label: texts.total, amount: amount(order.total_cents) };
  const { own, others } = feesIn(
    order.currency,
    order.fees.map(({ amount_cents: cents, currency }) => ({ cents, currency })),
  );
  return card(
    texts.items,
    html`${lines(texts.items, items, paid, sinceOf(order, own, amount))}${otherFees(others, formats)}`,
  );
}

/** What has become of the total: what went back, and apart from that what the processor kept. */
function sinceOf(order: OrderWithPayments, fees: number | null, amount: (cents: number) => string) {
  const net = order.total_cents - order.refunded_cents;
  const back = { label: texts.goneBack, amount: amount(-order.refunded_cents) };
  const left = { label: texts.left, amount: amount(net) };
  const isRefunded = order.refunded_cents > 0;
  if (fees === null) return isRefunded ? { lines: [back], total: left } : null;
  const kept = { label: texts.fees, amount: amount(-fees) };
  return {
    lines: isRefunded ? [back, left, kept] : [kept],
    total: { label: texts.afterFees, amount: amount(net - fees) },
  };
}

function buyerCard({ id, status, customer_email: email, customer_name: name, country }: OrderWithPayments): Html {
  const paid = status === 'paid' || status === 'refunded';
  const all: [string, Html][] = [[texts.email, html`<a href="${buyerPath(email)}"><bdi>${email}</bdi></a>`]];
  if (name !== '') all.push([texts.name, html`<bdi>${name}</bdi>`]);
  if (country !== null) all.push([texts.country, html`${countryName(country) ?? country}`]);
  const again = html`<p class="small"><a href="${ordersPath}/${id}/receipt">${texts.receiptAgain}</a></p>`;
  return card(texts.buyer, html`${facts(all)}${paid && again}`);
}

function orderCard({ order, subscription, formats }: OrderContent): Html {
  const all: [string, Html][] = [
    [texts.number, html`<code class="small">${orderNumber(order.id)}</code>`],
    [texts.placed, when(order.created_at, formats)],
    [texts.product, html`<a href="/app/products/${order.product_id}"><bdi>${productOf(order)}</bdi></a>`],
  ];
  if (subscription !== null) {
    const { id } = subscription;
    const link = html`<a href="/app/subscriptions/${id}">${texts.subscription}</a>`;
    all.push([texts.subscription, html`${subscriptionBadge(subscription, formats)} ${link}`]);
  }
  if (order.affiliate_code !== null) all.push([texts.affiliate, html`<bdi>${order.affiliate_code}</bdi>`]);
  if (order.immediate_access !== null) all.push([texts.consent, html`${order.immediate_access}`]);
  for (const name of campaignFields) {
    const value = order[name];
    if (value !== null) all.push([name, html`<bdi>${value}</bdi>`]);
  }
  return card(texts.order, html`${facts(all)}${copyField(texts.id, order.id, 'order-id')}`);
}

const campaignFields = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
