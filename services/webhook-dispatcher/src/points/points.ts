import { definePoint } from '@app/service-kit/points';

interface OfEndpoint {
  readonly endpointId: string;
}

export interface StoredEvent {
  readonly id: string;
  readonly accountId: string;
  readonly deliveries: readonly { readonly id: string; readonly endpointId: string; readonly status: string }[];
}

/** A batch of events is committed with its deliveries; the dispatcher has those that were stored as `sending`. */
export const eventsStored = definePoint<{ readonly events: readonly StoredEvent[] }>(
  'webhook-dispatcher.events-stored',
);

/** One claim is committed: the dispatcher has these deliveries. */
export const deliveriesClaimed = definePoint<{ readonly deliveryIds: readonly string[] }>(
  'webhook-dispatcher.deliveries-claimed',
);

/** A round that read from the database what is due has ended, and what there is capacity for is claimed, unless it failed. */
export const dueDeliveriesRead = definePoint<object>('webhook-dispatcher.due-deliveries-read');

/** Deliveries that were claimed or stored as `sending` are `pending` again, without an attempt. */
export const deliveriesReleased = definePoint<{ readonly deliveryIds: readonly string[] }>(
  'webhook-dispatcher.deliveries-released',
);

/** A delivery's attempt. */
export interface RecordedAttempt extends OfEndpoint {
  readonly deliveryId: string;
  readonly accountId: string;
  /** It counts from 1; an email over the daily limit counts as none. */
  readonly number: number;
  readonly delivered: boolean;
  readonly statusCode: number | null;
}

/** A batch of attempts is committed, and the state of their deliveries with it. */
export const attemptsRecorded = definePoint<{ readonly attempts: readonly RecordedAttempt[] }>(
  'webhook-dispatcher.attempts-recorded',
);

/**
 * The change of an endpoint (switched, removed, or what is held is to be dropped) is applied to a batch of the deliveries
 * that wait for it; `isComplete`: to all of them, and Recent activity says so.
 */
export const endpointChangeApplied = definePoint<OfEndpoint & { readonly isComplete: boolean }>(
  'webhook-dispatcher.endpoint-change-applied',
);

/**
 * An endpoint that failed or is gone was judged: `reason` says why it was switched off or its seller was notified, with all
 * that follows; null when neither was due.
 */
export const endpointJudged = definePoint<OfEndpoint & { readonly reason: 'gone' | 'failing' | 'warned' | null }>(
  'webhook-dispatcher.endpoint-judged',
);

/** A recovery of deliveries was considered: `due` says whether a batch of them became due. */
export const recoveryEnqueued = definePoint<OfEndpoint & { readonly recoveryId: string; readonly due: boolean }>(
  'webhook-dispatcher.recovery-enqueued',
);

/** A recovery has enqueued all that it concerns, or its endpoint was removed. */
export const recoveryFinished = definePoint<OfEndpoint & { readonly recoveryId: string }>(
  'webhook-dispatcher.recovery-finished',
);

/** A run of the proof of conservation has ended, and what it found missing is stored again. */
export const conservationProved = definePoint<{ readonly runId: number; readonly isComplete: boolean }>(
  'webhook-dispatcher.conservation-proved',
);
