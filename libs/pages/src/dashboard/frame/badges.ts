import type { OrderResource, OrderWithPayments } from '@app/contracts/orders';
import type { PaymentStatus } from '@app/contracts/payments';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { badge } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { dayOf } from './times.ts';

type OrderState = Pick<OrderResource, 'refunded_cents' | 'currency'> & Pick<OrderWithPayments, 'status'>;

export function orderBadge({ status, refunded_cents, currency }: OrderState, formats: Formats): Html {
  if (status === 'refunded') return badge('none', 'Refunded');
  if (status === 'authorized') return badge('info', 'Card held');
  if (status === 'expired') return badge('none', 'Ended unpaid');
  if (refunded_cents > 0) return badge('none', `${formats.amount(refunded_cents, currency)} refunded`);
  return badge('good', 'Paid');
}

/** A dispute of one of its payments, beside how the order itself stands. */
export function disputeBadge({ dispute }: Pick<OrderResource, 'dispute'>): Html {
  if (dispute === 'open') return badge('warn', 'Disputed');
  return html`${dispute === 'lost' && badge('bad', 'Dispute lost')}`;
}

type SubscriptionState = Pick<SubscriptionResource, 'status' | 'cancel_at'>;

export function subscriptionBadge({ status, cancel_at }: SubscriptionState, formats: Formats): Html {
  if (status === 'canceled') return badge('none', 'Ended');
  if (status === 'paused') return badge('info', 'Paused');
  if (status === 'past_due') return badge('bad', 'Past due');
  return cancel_at === null ? badge('good', 'Active') : badge('info', html`Ends ${dayOf(cancel_at, formats)}`);
}

const paymentBadges: Readonly<Record<PaymentStatus, Html>> = {
  succeeded: badge('good', 'Succeeded'),
  declined: badge('bad', 'Declined'),
  requires_action: badge('warn', 'Waits for the buyer'),
  unknown: badge('warn', 'Not known yet'),
  sent: badge('info', 'Processing'),
  created: badge('info', 'Processing'),
};

export const paymentBadge = ({ status }: { readonly status: PaymentStatus }): Html => paymentBadges[status];

/** Of what a rehearsal made; nothing for the rest. */
export const testBadge = ({ test }: { readonly test: boolean }): Html => (test ? badge('warn', 'Test') : html``);
