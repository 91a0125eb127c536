import type { Settings } from '@app/contracts/accounts';
import { buyerReason } from '@app/contracts/decline-reasons';
import type { RequestOutput } from '@app/contracts/define';
import type {
  ChangedPortalSubscription,
  getBuyerOrder,
  PortalSubscription,
  PortalSubscriptionWithHistory,
} from '@app/contracts/portal';
import type { cancelSubscription, getSubscription } from '@app/contracts/subscriptions';

/** A subscription as billing answers it, with its history. */
export type SubscriptionOfBilling = RequestOutput<typeof getSubscription>;
type Listed = Omit<SubscriptionOfBilling, 'periods' | 'payments' | 'card_change'>;
type PortalCharge = PortalSubscriptionWithHistory['charges'][number];
type Refunds = RequestOutput<typeof getBuyerOrder>['refunds'];
type Permissions = Pick<Settings, 'portalCancel' | 'portalPause'>;

/** A subscription as its buyer sees it. @param failedReason as `failedReasonOf` gives it */
export const portalSubscriptionOf = (
  subscription: Listed,
  { portalCancel, portalPause }: Permissions,
  failedReason: PortalSubscription['failed_reason'],
): PortalSubscription => {
  const { status, cancel_at } = subscription;
  return {
    id: subscription.id,
    order_id: subscription.order_id,
    product_name: subscription.product_name,
    amount_cents: subscription.amount_cents,
    currency: subscription.currency,
    billing_interval: subscription.billing_interval,
    status,
    collection: subscription.collection,
    started_at: subscription.started_at,
    current_period_end: subscription.current_period_end,
    cancel_at,
    canceled_at: subscription.canceled_at,
    next_charge_at: subscription.next_charge_at,
    failed_reason: failedReason,
    last_four: subscription.last_four,
    wallet: subscription.wallet ?? null,
    may_cancel: portalCancel && status !== 'canceled',
    may_pause: portalPause && cancel_at === null && (status === 'active' || status === 'past_due'),
    may_resume: portalPause && status === 'paused' && subscription.paused_by === 'buyer',
    test: subscription.test,
  };
};

/** Why the last attempt to charge it failed: in the buyers' words, never the processor's. Null unless it is past due. */
export function failedReasonOf({ status, payments }: SubscriptionOfBilling): PortalSubscription['failed_reason'] {
  if (status !== 'past_due') return null;
  const declined = payments.find((payment) => payment.step === 'renewal' && payment.status === 'declined');
  const reason = declined?.reason ?? null;
  return reason === 'authentication_required' ? 'confirmation_required' : buyerReason(reason);
}

/** Whether a renewal was charged on the card page and waits at the bank. Where it is confirmed is the buyer's alone: `continue` says it. */
export const awaitsConfirmation = ({ payments }: SubscriptionOfBilling): boolean =>
  payments.some(({ step, status }) => step === 'renewal' && status === 'requires_action');

/** A subscription after a change. @param before the same with its history, as it was read before the change */
export function changedPortalSubscriptionOf(
  { renewal_under_way, ...changed }: RequestOutput<typeof cancelSubscription>,
  before: SubscriptionOfBilling,
  settings: Permissions,
): ChangedPortalSubscription {
  const failedReason = failedReasonOf({ ...before, status: changed.status });
  return { ...portalSubscriptionOf(changed, settings, failedReason), renewal_under_way };
}

/** Past due ones first, for they need something of the buyer; then the newest. */
export const inPortalOrder = (one: PortalSubscription, other: PortalSubscription): number =>
  Number(other.status === 'past_due') - Number(one.status === 'past_due') || (one.id < other.id ? 1 : -1);

/** The attempts to charge renewals, newest first. @param refunds of the order that began the subscription */
export const portalChargesOf = ({ payments }: SubscriptionOfBilling, refunds: Refunds): PortalCharge[] =>
  payments
    .filter(({ step }) => step === 'renewal')
    .map(({ id, amount_cents, status, last_four, wallet = null, created_at, finished_at }) => ({
      amount_cents,
      refunded_cents: refunds
        .filter(({ payment_id }) => payment_id === id)
        .reduce((sum, refund) => sum + refund.amount_cents, 0),
      status: status === 'succeeded' ? 'paid' : status === 'declined' ? 'declined' : 'processing',
      last_four,
      wallet,
      charged_at: finished_at ?? created_at,
    }));
