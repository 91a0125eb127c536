import { readBuyerTotals as totals } from '@app/contracts/customers';
import { examineStripe } from '@app/contracts/payment-processors';
import type { EventHandler } from '@app/messaging/event-handler';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { ServiceContext } from '@app/service-host/define-service';
import { paymentRequests } from './advancing/requests.ts';
import { readBuyerTotals } from './buyers/read-buyer-totals.ts';
import { cardRequests } from './cards/requests.ts';
import type { BillingConfig } from './config.ts';
import { createChargeNow } from './daily-run/charge-now.ts';
import { dailyRunRequests } from './daily-run/requests.ts';
import { storeReminderCounts } from './daily-run/store-reminder-counts.ts';
import { feeRequests } from './fees/requests.ts';
import type { DailyRuns } from './open-daily-runs.ts';
import type { OpenedPayments } from './open-payments.ts';
import { followSettings } from './processor-domains/follow-settings.ts';
import { examineAccounts } from './processor-endpoints/examine-accounts.ts';
import { processorEventRequests } from './processor-events/requests.ts';
import { paymentProcessorRequests } from './processors/settings/requests.ts';
import { onTakenBack } from './processors/settings/revoke-processor.ts';
import { rehearsalSteps } from './rehearsals/rehearsal-steps.ts';
import { rehearsalRequests } from './rehearsals/requests.ts';
import { subscriptionEventHandlers } from './subscriptions/consumers.ts';
import { subscriptionRequests } from './subscriptions/requests.ts';

export const consumedEvents = (
  { wakeRelay, clock }: Pick<ServiceContext<BillingConfig>, 'wakeRelay' | 'clock'>,
  { processors }: Pick<OpenedPayments, 'processors'>,
): EventHandler[] => [
  ...subscriptionEventHandlers(wakeRelay),
  followSettings,
  onTakenBack({ clock, processors }),
  storeReminderCounts,
];

export function answeredRequests(
  { payments, secrets, processors, stripe, receiving, endpoints }: OpenedPayments,
  { deps, overdue, isClosing }: DailyRuns,
): RequestHandler[] {
  const { database, clock, wakeRelay } = payments;
  return [
    ...subscriptionRequests({ database, clock, wakeRelay }),
    onRequest(totals, ({ emailKeys }, { accountId }) => readBuyerTotals(database, accountId, emailKeys)),
    ...cardRequests({ ...payments, charge: createChargeNow(payments) }),
    ...paymentRequests(payments),
    ...feeRequests({ database, clock }),
    ...paymentProcessorRequests({ database, clock, secrets, processors, stripe }),
    ...processorEventRequests(receiving),
    onRequestAcrossAccounts(examineStripe, () => examineAccounts(endpoints)),
    ...rehearsalRequests({ ...payments, rehearsalSteps: rehearsalSteps(payments), isClosing }),
    ...dailyRunRequests(deps, overdue),
  ];
}
