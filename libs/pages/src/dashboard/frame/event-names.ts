import {
  endpointOff,
  keyRefused,
  type NoticeName,
  type WebhookEventName,
  webhookEventNames,
} from '@app/contracts/webhooks';

const labels: Readonly<Record<WebhookEventName | NoticeName, string>> = {
  'order.paid': 'Order paid',
  'order.refunded': 'Order refunded',
  'order.reopened': 'Refund failed, order paid again',
  'order.expired': 'Held order ended unpaid',
  'payment.refunded': 'Payment refunded',
  'dispute.opened': 'Payment disputed',
  'dispute.closed': 'Dispute ended',
  'upsell.accepted': 'Upsell accepted',
  'subscription.rebilled': 'Subscription renewed',
  'subscription.payment_failed': 'Renewal failed',
  'subscription.canceled': 'Subscription canceled',
  'subscription.paused': 'Subscription paused',
  'subscription.resumed': 'Subscription resumed',
  'affiliate.paid': 'Affiliate paid',
  'funnel.email.sync': 'Funnel email for your email tool',
  'withdrawal.requested': 'Withdrawal declared',
  [endpointOff]: 'Webhook endpoint needs attention',
  [keyRefused]: 'API key of the payment processor refused',
};

/** Events of webhooks with what they mean, in the order of the documentation. */
export const eventChoices = webhookEventNames.map((name) => [name, labels[name]] as const);

/** What an event means; its own name where it is none of these. */
export const eventLabel = (name: string): string =>
  Object.hasOwn(labels, name) ? labels[name as keyof typeof labels] : name;
