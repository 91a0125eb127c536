import { definePoint } from '@app/service-kit/points';

interface OfRun {
  readonly accountId: string;
  readonly runId: string;
}

/**
 * A batch of processors' answers is committed, with the charges and events that follow from them. An answer to a payment
 * that had ended before is among them and changed nothing.
 */
export const answersRecorded = definePoint<{ readonly paymentIds: readonly string[] }>('billing.answers-recorded');

/** A page of what is due is read; each renewal waits for its call, and is claimed when that may begin. */
export const renewalsRead = definePoint<OfRun>('billing.renewals-read');

/** The payments of a batch of renewals are committed and are sent at once. */
export const renewalsClaimed = definePoint<OfRun & { readonly paymentIds: readonly string[] }>(
  'billing.renewals-claimed',
);

/** A scan for accounts without a daily run has ended; each of these has been notified once since its last run. */
export const overdueNotified = definePoint<{ readonly accountIds: readonly string[] }>('billing.overdue-notified');

/**
 * The simulated processor's books show that a call of a card arrived, or that its first sending got lost. The answer, if the
 * card gives one, comes after that.
 */
export const simulatedCallRecorded = definePoint<{ readonly paymentId: string; readonly lost: boolean }>(
  'billing.simulated-call-recorded',
);

/** A webhook endpoint was compared with what Stripe has, and its row says how that ended. */
export const endpointCompared = definePoint<{ readonly accountId: string; readonly test: boolean }>(
  'billing.endpoint-compared',
);

/** The domains of an account's wallets were compared with what Stripe has, and their row says how that ended. */
export const domainsCompared = definePoint<{ readonly accountId: string; readonly test: boolean }>(
  'billing.domains-compared',
);

/** An event of a payment processor was handled, and its row says how. */
export const processorEventHandled = definePoint<{ readonly eventId: string; readonly result: 'done' | 'later' }>(
  'billing.processor-event-handled',
);

/** The list of a processor was read before a renewal is sent again, or could not be. */
export const newestPaymentsRead = definePoint<{ readonly accountId: string }>('billing.newest-payments-read');
