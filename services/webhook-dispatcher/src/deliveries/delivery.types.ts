import type { Priority } from './priority.rules.ts';

/**
 * A delivery is one event on its way to one endpoint. While it has work to do it is in `deliveries`, afterwards in
 * `finished_deliveries`:
 *
 *                ┌─────── lease void or released ────┐
 *                ▼                                   │
 *   (new) ──▶ pending ── due, claimed on lease ──▶ sending ── 2xx ──▶ delivered
 *     │         │  ▲                                 │
 *     │         │  └─────── next_attempt_at ─────────┤ anything else
 *     │         │                                    ├──▶ failed   (after the last attempt)
 *     │         │                                    └──▶ held     (after the last attempt, when nothing reaches the endpoint)
 *     │         ├── endpoint off ──▶ held ── on again ──▶ pending   (of an automation: canceled)
 *     │         └── endpoint removed ──▶ canceled
 *     └── stored as `sending` when this process has capacity for it: no claim is needed; as `held` when the endpoint is
 *         off or has no URL yet; as `filtered`, finished at once, when the endpoint does not take the event
 *
 * What is held because nothing reached its endpoint (`held_reason`) is `pending` again after the endpoint's first success
 * (repair/release-held.ts). Of such a row `next_attempt_at` is when its last attempt was made: no other is planned. Of one whose
 * endpoint is off it is when the next attempt would be due.
 *
 * An attempt whose endpoint was switched off or removed meanwhile ends in `held` or `canceled`. After 30 days what is
 * `pending` or `held` is `failed`; a removed endpoint cancels what is `held` too.
 *
 * Only the holder of `lease_token` may change a delivery that is `sending`, except to free it when the lease is void. A
 * lease ends by the database's clock, and is void once its process is gone (@app/service-kit/lease-owner).
 */
export interface Delivery {
  readonly id: string;
  readonly priority: Priority;
  readonly accountId: string;
  readonly eventId: string;
  readonly eventName: string;
  /** Every attempt sends the same bytes. */
  readonly body: string;
  readonly test: boolean;
  readonly traceparent: string | null;
  /** Number of the next attempt, from 1. */
  readonly attemptNumber: number;
  /** Attempts before the schedule of waits began anew, because the delivery was sent again. */
  readonly attemptsBeforeSchedule: number;
  readonly leaseToken: string;
  /** On the scale of performance.now(), never later than the lease in the database. */
  readonly leaseEndsMs: number;
}

/** Where deliveries of one endpoint go, as of `version`. */
export interface Destination {
  readonly endpointId: string;
  readonly version: number;
  /** An endpoint's channel never changes. */
  readonly channel: 'http' | 'email';
  /** Null for automations that send emails. */
  readonly url: string | null;
  /** Sealed, as the next two are; see secrets/secret-box.ts. Null without a URL. */
  readonly secret: string | null;
  /** The secret before the current one, which signs too until then. */
  readonly previous: { readonly secret: string; readonly untilMs: number } | null;
  /** The endpoint's own headers, as JSON. */
  readonly headers: string | null;
}

/** One process's temporary right to send the deliveries that it claimed or stored together. */
export interface Lease {
  readonly token: string;
  readonly owner: number;
  readonly seconds: number;
  /** On the scale of performance.now(). */
  readonly endsMs: number;
}

/** The deliveries of one endpoint in a stored batch of events. */
export interface EndpointBatch {
  readonly destination: Destination;
  /** Stored as `sending` under this process's lease. */
  readonly deliveries: readonly Delivery[];
  /** Of these priorities deliveries of the endpoint were stored as `pending`. */
  readonly overflow: ReadonlySet<Priority>;
}
