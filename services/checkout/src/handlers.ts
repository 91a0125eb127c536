import { settingsHandler } from '@app/account-settings/settings-handler';
import {
  followPayments as followPaymentsRequest,
  ordersToCompare as toCompare,
} from '@app/contracts/order-comparisons';
import type { EventHandler } from '@app/messaging/event-handler';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { checkoutEventHandlers } from './checkouts/consumers.ts';
import { checkoutRequests } from './checkouts/requests.ts';
import { subscriptionHandlers } from './checkouts/sold-subscriptions.ts';
import { followPayments } from './comparisons/follow-payments.ts';
import { ordersToCompare } from './comparisons/orders-to-compare.ts';
import { customerRequests } from './customers/requests.ts';
import type { Reminders } from './open-reminders.ts';
import type { Selling } from './open-selling.ts';
import { orderRequests } from './orders/requests.ts';
import { refundEventHandlers } from './refunds/consumers.ts';
import { refundRequests } from './refunds/requests.ts';
import { reminderRequests } from './reminders/requests.ts';
import { settingsRequests } from './settings/requests.ts';
import { withdrawalRequests } from './withdrawals/requests.ts';

export const consumedEvents = ({ wakeRelay }: Selling): EventHandler[] => [
  ...checkoutEventHandlers(wakeRelay),
  ...refundEventHandlers(wakeRelay),
  ...subscriptionHandlers,
  settingsHandler,
];

export const answeredRequests = (selling: Selling, reminders: Reminders): RequestHandler[] => [
  ...orderRequests(selling.database, selling.orders),
  onRequest(toCompare, (input, { accountId }) => ordersToCompare(selling.database, accountId, input)),
  ...customerRequests(selling),
  ...checkoutRequests(selling, selling.openingBound),
  onRequest(followPaymentsRequest, (input, context) => followPayments(selling, input, context)),
  ...refundRequests(selling),
  ...reminderRequests(reminders.runs, reminders.overdue),
  ...settingsRequests(selling.database),
  ...withdrawalRequests(selling),
];
