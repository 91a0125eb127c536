import { newId } from '@app/contracts/ids';
import type { Delivery } from './delivery.types.ts';
import type { EndReason } from './end-reasons.rules.ts';

/** What is stored of what an attempt sent and got. Times are in milliseconds; null is what did not happen. */
export interface ExchangeColumns {
  readonly status_code: number | null;
  readonly duration_ms: number;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly error: string | null;
  readonly diagnosis: string | null;
  readonly diagnosis_detail: string | null;
  /** The beginning of the response body; null without a response. */
  readonly response: string | null;
}

/** One attempt of a delivery and its outcome, as the attempts table stores it. */
export interface Attempt extends ExchangeColumns {
  readonly id: string;
  readonly account_id: string;
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_name: string;
  readonly lease_token: string;
  readonly number: number;
  readonly created_at: string;
  /** `mailto:` and the recipient for emails; null when the recipient is not known. */
  readonly url: string | null;
  readonly delivered: boolean;
  /**
   * Why no attempt follows, as `finished_deliveries.reason` stores it unless the delivery is held (`decideFailure`):
   * `attempts_used` after the last one of the schedule. Null when delivered, and while another follows.
   */
  readonly reason_if_ended: EndReason | null;
  /** Null when delivered, and after the last attempt. */
  readonly next_attempt_at: string | null;
}

interface AttemptOutcome
  extends ExchangeColumns,
    Pick<Attempt, 'endpoint_id' | 'number' | 'url' | 'delivered' | 'reason_if_ended'> {
  /** Milliseconds until the next attempt; null when none follows. */
  readonly waitMs: number | null;
}

/** The attempt of a delivery that ended at `nowMs`. */
export function newAttempt(nowMs: number, delivery: Delivery, { waitMs, ...outcome }: AttemptOutcome): Attempt {
  return {
    id: newId('attempt', nowMs),
    account_id: delivery.accountId,
    delivery_id: delivery.id,
    event_name: delivery.eventName,
    lease_token: delivery.leaseToken,
    created_at: new Date(nowMs).toISOString(),
    ...outcome,
    next_attempt_at: waitMs === null ? null : new Date(nowMs + waitMs).toISOString(),
  };
}
