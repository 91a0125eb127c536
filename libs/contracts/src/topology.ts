import { accountSettingsChanged, accountTakenBack } from './accounts.ts';
import { affiliateCodeUnmatched, affiliatePaid } from './affiliates.ts';
import { checkoutVisited, paymentsLimited } from './checkouts.ts';
import { dailyRunNoticed } from './daily-runs.ts';
import type { EventDefinition } from './define.ts';
import { disputeClosed, disputeOpened, disputeRecorded } from './disputes.ts';
import { funnelEmailSynced } from './funnels.ts';
import {
  orderExpired,
  orderNoticed,
  orderPaid,
  orderRefunded,
  orderReopened,
  paymentRefunded,
  paymentReopened,
  upsellAccepted,
} from './orders.ts';
import {
  chargeRefunded,
  chargesRefunded,
  holdSettled,
  paymentCompleted,
  paymentNoticed,
  refundFailed,
} from './payments.ts';
import { productCreated, productRenamed } from './products.ts';
import { reminderNoticed, remindersFinished } from './reminders.ts';
import type { ServiceName } from './services.ts';
import {
  subscriptionCanceled,
  subscriptionPaused,
  subscriptionPaymentFailed,
  subscriptionRebilled,
  subscriptionResumed,
  subscriptionStarted,
} from './subscriptions.ts';
import { withdrawalDeclined, withdrawalRequested } from './withdrawals.ts';

/** What a service sends and receives; its NATS permissions follow from it. */
export interface ServiceLinks {
  /** Services it sends requests to. */
  readonly requests: readonly ServiceName[];
  /** Events it consumes, each kind through a durable consumer of its own. */
  readonly consumes: readonly EventDefinition[];
  /** Whether it has a stream of its own. */
  readonly publishes: boolean;
}

/** What is earned, and what of it goes back. */
const salesAndRefunds = [orderPaid, orderRefunded, orderReopened, paymentRefunded, paymentReopened];

export const topology: Record<ServiceName, ServiceLinks> = {
  gateway: {
    requests: ['catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'],
    consumes: [withdrawalRequested, withdrawalDeclined],
    publishes: true,
  },
  catalog: { requests: ['billing'], consumes: [], publishes: true },
  checkout: {
    requests: ['catalog', 'affiliate', 'billing'],
    consumes: [
      paymentCompleted,
      holdSettled,
      chargeRefunded,
      chargesRefunded,
      refundFailed,
      disputeRecorded,
      subscriptionStarted,
      subscriptionCanceled,
      accountSettingsChanged,
    ],
    publishes: true,
  },
  billing: {
    requests: ['checkout'],
    consumes: [orderPaid, orderRefunded, accountSettingsChanged, accountTakenBack, remindersFinished],
    publishes: true,
  },
  affiliate: {
    requests: [],
    consumes: [...salesAndRefunds, subscriptionRebilled, accountSettingsChanged],
    publishes: true,
  },
  metrics: {
    requests: [],
    consumes: [
      ...salesAndRefunds,
      checkoutVisited,
      subscriptionStarted,
      subscriptionRebilled,
      subscriptionPaymentFailed,
      subscriptionPaused,
      subscriptionResumed,
      subscriptionCanceled,
      productCreated,
      productRenamed,
    ],
    publishes: false,
  },
  'webhook-dispatcher': {
    requests: ['gateway'],
    consumes: [
      orderPaid,
      orderRefunded,
      orderReopened,
      orderExpired,
      paymentRefunded,
      disputeOpened,
      disputeClosed,
      upsellAccepted,
      withdrawalRequested,
      subscriptionRebilled,
      subscriptionPaymentFailed,
      subscriptionCanceled,
      subscriptionPaused,
      subscriptionResumed,
      affiliatePaid,
      orderNoticed,
      paymentNoticed,
      dailyRunNoticed,
      reminderNoticed,
      paymentsLimited,
      funnelEmailSynced,
      affiliateCodeUnmatched,
      accountSettingsChanged,
      accountTakenBack,
    ],
    publishes: false,
  },
};
