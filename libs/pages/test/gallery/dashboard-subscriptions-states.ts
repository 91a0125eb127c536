import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { freshForm } from '../../src/dashboard/frame/forms.ts';
import { cancelPage } from '../../src/dashboard/subscriptions/cancel-page.ts';
import { cardPage } from '../../src/dashboard/subscriptions/card-page.ts';
import { subscriptionPage } from '../../src/dashboard/subscriptions/subscription-page.ts';
import { subscriptionsPage } from '../../src/dashboard/subscriptions/subscriptions-page.ts';
import { type Html, html } from '../../src/html.ts';
import { paymentOf, subscription, subscriptionOf } from './dashboard-orders-samples.ts';
import { formats, inFrame, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const path = `/app/subscriptions/${subscription.id}`;
const visit = visitAt(path);
const fresh = freshForm(visit);

const subscriptions = [
  subscription,
  subscriptionOf({ status: 'past_due', failed_tries: 2 }),
  subscriptionOf({ cancel_at: '2026-11-23T12:00:00.000Z', next_charge_at: null, product_name: arabicName }),
  subscriptionOf({ status: 'paused', collection: 'external', next_charge_at: null, amount_cents: 123_456_789 }),
  subscriptionOf({ customer_email: `${'a'.repeat(64)}@example.com`, product_name: longName }),
];
const list = { subscriptions, filters: { email: undefined, status: undefined }, isTest: false, formats, pager: html`` };

const withHistory = (
  changes: Partial<SubscriptionWithHistory>,
  payments: SubscriptionWithHistory['payments'] = [],
): SubscriptionWithHistory => Object.assign({}, subscription, { periods: [], payments, card_change: null }, changes);

const renewed = paymentOf({ step: 'renewal', explanation: '$29.00 charged to the saved card for the renewal.' });
const failed = paymentOf({
  id: 'pmt_01jd2q5v8kfw9s3x6z7yabcdeh',
  step: 'renewal',
  status: 'declined',
  explanation: '$29.00 not charged to the saved card for the renewal of the subscription. The card has expired.',
  next: 'The subscription shows when it is tried again. A new card is tried by the next daily run.',
  created_at: '2026-11-23T12:00:00.000Z',
});
const pastDue = withHistory(
  {
    status: 'past_due',
    failed_tries: 2,
    product_name: longName,
    card_change: { status: 'requires_action', url: `https://bank.example/${'a'.repeat(80)}` },
  },
  [failed, renewed],
);
const shown = (of: SubscriptionWithHistory, did: string | null = null): Html =>
  inFrame(path, subscriptionPage(visit, { subscription: of, did }, fresh));
const refusedToken = {
  values: new URLSearchParams({ paymentMethod: 'tok' }),
  errors: { paymentMethod: 'The card token was declined.' },
  problem: null,
};

/** Subscriptions, one of them, its cancellation and its card. */
export const dashboardSubscriptionsStates: Readonly<Record<string, () => Html>> = {
  subscriptions: () => inFrame('/app/subscriptions', subscriptionsPage(list)),
  'subscriptions-empty': () =>
    inFrame('/app/subscriptions', subscriptionsPage(Object.assign({}, list, { subscriptions: [] }))),
  'subscriptions-wrong': () => {
    const wrong = { subscriptions: [], filters: { email: 'ada', status: undefined }, isWrong: true };
    return inFrame('/app/subscriptions', subscriptionsPage(Object.assign({}, list, wrong)));
  },
  'subscription-past-due': () => shown(pastDue),
  'subscription-paused': () => shown(withHistory({ status: 'paused', customer_email: 'ada@example.com' }), 'pause'),
  'subscription-ending': () =>
    shown(
      withHistory({ cancel_at: '2026-11-23T12:00:00.000Z', next_charge_at: null, customer_email: 'ada@example.com' }),
    ),
  'subscription-ended': () =>
    shown(withHistory({ status: 'canceled', canceled_at: subscription.started_at }, [renewed])),
  'subscription-cancel': () => {
    const cancelVisit = visitAt(`${path}/cancel`);
    return inFrame(path, cancelPage(cancelVisit, withHistory({ product_name: arabicName }), fresh));
  },
  'subscription-card': () => inFrame(path, cardPage(visit, { subscription: pastDue, link: null }, refusedToken)),
  'subscription-card-link': () => {
    const link = {
      url: `https://atelier.example/p/atelier/open/${'a'.repeat(43)}`,
      expires_at: '2026-11-26T12:00:00.000Z',
    };
    return inFrame(path, cardPage(visit, { subscription: withHistory({}), link }, fresh));
  },
};
