/**
 * A delivery is one event on its way to one endpoint. `deliveries.status`:
 *
 *                ┌──────────── lease lost, or given back ───────────┐
 *                ▼                                                  │
 *   (new) ──▶ pending ── due, taken on lease ──▶ sending ── 2xx ──▶ delivered
 *     │         │  ▲                                │
 *     │         │  └─────── next_attempt_at ────────┤ anything else
 *     │         │                                   └──▶ failed   (after the last try)
 *     │         ├── endpoint off ──▶ held ── on again ──▶ pending
 *     │         └── endpoint removed ──▶ canceled
 *     └── born `sending` when there is room here: no claim is needed
 *
 * Only the holder of `lease_token` may settle a delivery. A lease runs on the database's own clock, and is void once its
 * process is gone (@app/messaging/instance).
 */
export interface Delivery {
  readonly id: string;
  readonly accountId: string;
  readonly eventId: string;
  readonly eventName: string;
  /** Sent byte for byte on every try. */
  readonly body: string;
  readonly test: boolean;
  readonly traceparent: string | null;
  /** Which try this will be, from 1. */
  readonly number: number;
  readonly leaseToken: string;
  /** On the scale of performance.now(), never later than the lease in the database. */
  readonly leaseEndsMs: number;
}

/** Where deliveries of one endpoint go, as of `version`. */
export interface Destination {
  readonly endpointId: string;
  readonly version: number;
  readonly url: string;
  /** Sealed; see endpoints/secret-box.ts. */
  readonly secret: string;
}

/** What one process holds deliveries under that it takes together. */
export interface Lease {
  readonly token: string;
  readonly owner: number;
  readonly seconds: number;
  /** On the scale of performance.now(). */
  readonly endsMs: number;
}
