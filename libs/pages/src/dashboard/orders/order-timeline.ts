import type { OrderWithPayments } from '@app/contracts/orders';
import type { ActivityEntry, DeliveryResource } from '@app/contracts/webhook-deliveries';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { deliveryBadge } from '../frame/delivery-badge.ts';
import { type Moment, paymentMoment } from '../frame/payments.ts';
import { when } from '../frame/times.ts';
import { disputeMoments, isDisputed } from './order-disputes.ts';
import { ordersPath } from './parts.ts';

const texts = {
  placed: 'The order was placed.',
  email: 'Email for',
  webhook: 'Webhook',
  to: 'to',
  refundThis: 'Refund this payment',
} as const;

interface Happened {
  readonly order: OrderWithPayments;
  readonly deliveries: readonly DeliveryResource[] | null;
  readonly activity: readonly ActivityEntry[];
  readonly formats: Formats;
}

/** Payments, disputes and notices of an order. */
export function orderMoments({ order, activity, formats }: Omit<Happened, 'deliveries'>): readonly Moment[] {
  const notices = activity.filter(({ kind }) => kind === 'notice');
  return [
    ...notices.map(({ created_at: at, summary }) => ({
      at,
      entry: { at: when(at, formats), title: withOrderLinks(summary) },
    })),
    ...order.payments.map((payment) => paymentMoment(payment, formats, refundLink(order, payment))),
    ...(order.disputes ?? []).flatMap((dispute) => disputeMoments(dispute, formats)),
    { at: order.created_at, entry: { at: when(order.created_at, formats), title: texts.placed } },
  ];
}

/** A notice names another order by its id, as a possible duplicate. */
const withOrderLinks = (summary: string): Html =>
  html`${summary.split(/(ord_[0-9a-z]{26})/).map((part, index) => (index % 2 === 0 ? part : html`<a href="${ordersPath}/${part}">${part}</a>`))}`;

/** Emails and webhooks that the order was the reason of. */
export const deliveryMoments = ({ deliveries, activity, formats }: Omit<Happened, 'order'>): readonly Moment[] =>
  (deliveries ?? []).filter(hasReceiver).map((delivery) => deliveryMoment(delivery, activity, formats));

/** What is held because no URL is connected is no news of an order: it is so of every event. */
const hasReceiver = ({ endpoint_id, url, status }: DeliveryResource): boolean =>
  !(status === 'held' && url === null && !endpoint_id.startsWith('aut_'));

type Payment = OrderWithPayments['payments'][number];

/** Of a payment that took money: what a hold reserved is taken by its capture, or by a charge instead. */
function refundLink(order: OrderWithPayments, { id, status, step }: Payment): Html | undefined {
  const wasHeld = order.payments.some((payment) => payment.step === 'capture' || payment.step === 'recharge');
  const isCharge = ['capture', 'upsell', 'recharge'].includes(step) || (step === 'main' && !wasHeld);
  if (!isCharge || status !== 'succeeded' || order.status !== 'paid') return undefined;
  if (isDisputed(order, id)) return undefined;
  return html`<a href="${ordersPath}/${order.id}/refund?payment=${id}">${texts.refundThis}</a>`;
}

function deliveryMoment(delivery: DeliveryResource, activity: readonly ActivityEntry[], formats: Formats): Moment {
  const { created_at: at, event, url, endpoint_id, reason, status, id } = delivery;
  // An email of an automation has no URL, or that of its recipient.
  const isEmail = endpoint_id.startsWith('aut_') && (url === null || url.startsWith('mailto:'));
  const host = url === null || isEmail ? null : (URL.parse(url)?.host ?? url);
  const to = host !== null && html` ${texts.to} <bdi>${host}</bdi>`;
  const title = html`${isEmail ? texts.email : texts.webhook} <code>${event}</code>${to}`;
  const failed = status === 'delivered' ? undefined : activity.find((entry) => entry.delivery_id === id);
  const advice = failed?.diagnosis?.advice;
  const detail = advice === undefined ? reason : `${reason} ${advice}`;
  return { at, entry: { at: when(at, formats), title, detail, badge: deliveryBadge(delivery) } };
}
