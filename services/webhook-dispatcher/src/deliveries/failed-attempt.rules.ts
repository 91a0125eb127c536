import type { DestinationKind } from '../destinations/destination-kind.types.ts';
import type { EndReason } from './end-reasons.rules.ts';
import { goneStatus } from './exchange.rules.ts';
import { heldForFailing } from './held-for-failing.rules.ts';

/** What the decision needs to know of an attempt that failed. */
export interface FailedAttempt {
  readonly status_code: number | null;
  /** Why no attempt follows: `attempts_used` after the last one of the schedule; null while another may. */
  readonly reason_if_ended: EndReason | null;
  readonly created_at: string;
  /** Null after the last attempt. */
  readonly next_attempt_at: string | null;
}

/** The endpoint of the attempt, as it was read; null when it was removed. */
export type EndpointNow = {
  readonly kind: Pick<DestinationKind, 'whileOff' | 'holdsWhatFailed'>;
  /** `changing`: another transaction is about to change it, so nothing that depends on it may be decided. */
  readonly state: 'on' | 'off' | 'changing';
} | null;

/** What is known beside the attempt. */
export interface Circumstances {
  readonly endpoint: EndpointNow;
  /** Nothing has reached the endpoint since the delivery's first attempt. Only a last attempt needs to know. */
  readonly nothingDelivered: boolean;
}

/** What becomes of a delivery whose attempt failed. */
export interface FailureDecision {
  readonly status: 'pending' | 'held' | 'failed' | 'canceled';
  /** Why it is held although its endpoint is on; null otherwise. */
  readonly held_reason: typeof heldForFailing | null;
  /** Why it ended; null unless it did. */
  readonly reason: EndReason | null;
  /** When a delivery that waits or is held is due, or would be. */
  readonly due_at: string;
  /** What the attempt says became of the delivery. */
  readonly outcome: string;
  /** What the attempt says of the next one; null when none is announced. */
  readonly retry_at: string | null;
  /** The decision holds only while the endpoint is on (true) or off (false); null when it holds whatever the endpoint is. */
  readonly if_active: boolean | null;
}

/**
 * What becomes of a delivery after an attempt that failed. A retry of an endpoint that is off is held, or canceled for an
 * automation, which sends nothing of that time. A last attempt ends in `held` when nothing has reached the endpoint since
 * the first: repair/release-held.ts sends the delivery again after a success. While the endpoint is being changed the
 * delivery is `pending`: the claim that finds it sees the changed endpoint, and after a last attempt one more decides.
 */
export function decideFailure(attempt: FailedAttempt, { endpoint, nothingDelivered }: Circumstances): FailureDecision {
  const isLast = attempt.next_attempt_at === null;
  const mayBeHeld =
    attempt.reason_if_ended === 'attempts_used' && endpoint?.kind.holdsWhatFailed !== false && nothingDelivered;
  if (isLast && !mayBeHeld) return ended(attempt, 'failed', attempt.reason_if_ended, null);
  if (endpoint === null) return ended(attempt, 'canceled', 'removed', null);
  if (endpoint.state === 'changing') return pendingAgain(attempt, null);
  if (endpoint.state === 'off')
    return endpoint.kind.whileOff === 'held'
      ? held(attempt, null, false)
      : ended(attempt, 'canceled', 'discarded', false);
  return isLast ? held(attempt, heldForFailing, true) : pendingAgain(attempt, true);
}

/** Of a last attempt its own time, from which what is held is found again (`repair/release-held.ts`). */
const dueAt = ({ next_attempt_at: next, created_at: created }: FailedAttempt): string => next ?? created;

/** After 410 the endpoint is about to be switched off, which holds the delivery: the attempt announces no other. */
function pendingAgain(attempt: FailedAttempt, ifActive: boolean | null): FailureDecision {
  const isGone = attempt.status_code === goneStatus;
  return {
    status: 'pending',
    held_reason: null,
    reason: null,
    due_at: dueAt(attempt),
    outcome: isGone ? 'held' : 'pending',
    retry_at: isGone ? null : dueAt(attempt),
    if_active: ifActive,
  };
}

const held = (
  attempt: FailedAttempt,
  heldReason: typeof heldForFailing | null,
  ifActive: boolean,
): FailureDecision => ({
  status: 'held',
  held_reason: heldReason,
  reason: null,
  due_at: dueAt(attempt),
  outcome: heldReason === null ? 'held' : 'held_for_failing',
  retry_at: null,
  if_active: ifActive,
});

const ended = (
  attempt: FailedAttempt,
  status: 'failed' | 'canceled',
  reason: EndReason | null,
  ifActive: boolean | null,
): FailureDecision => ({
  status,
  held_reason: null,
  reason,
  due_at: dueAt(attempt),
  outcome: status,
  retry_at: null,
  if_active: ifActive,
});
