import { newId } from '@app/contracts/ids';
import type { Delivery, EndpointBatch, Lease } from '../deliveries/delivery.types.ts';
import type { DeliverySender } from '../deliveries/delivery-sender.ts';
import { type DestinationRow, destinationOf } from '../deliveries/destination.ts';
import type { HostRate } from '../deliveries/host-rates.ts';
import { type Priority, priorities } from '../deliveries/priority.rules.ts';
import type { TokenBucket } from '../deliveries/token-bucket.ts';
import type { DestinationKind } from '../destinations/destination-kind.types.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

export interface EndpointRow extends DestinationRow {
  readonly id: string;
  readonly account_id: string;
  readonly events: string[] | null;
  readonly product_id: string | null;
  readonly built_in: string | null;
  readonly active: boolean;
}

/** A row with the kind that its role says. */
export interface PlannedEndpoint extends EndpointRow {
  readonly kind: DestinationKind;
}

/** A row of `deliveries`, or of `finished_deliveries` when it is filtered. */
export interface NewDeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly account_id: string;
  readonly event_name: string;
  readonly test: boolean;
  readonly priority: Priority;
  readonly status: 'pending' | 'sending' | 'held' | 'filtered';
}

interface GrowingBatch extends EndpointBatch {
  readonly deliveries: Delivery[];
  readonly overflow: Set<Priority>;
  readonly rate: HostRate | null;
}

/** The endpoints that get a delivery of the event, whatever becomes of it: `urlKind` or `automationKind` decides for each. */
export function endpointsFor(event: OutgoingEvent, ofAccount: readonly PlannedEndpoint[]): PlannedEndpoint[] {
  const hasUrl = ofAccount.some((endpoint) => endpoint.kind.isConnectedUrl(endpoint));
  return ofAccount.filter((endpoint) => endpoint.kind.getsDelivery(endpoint, event, hasUrl));
}

/** Decides which deliveries a batch of events has, and which of them this process sends at once. */
export class DeliveryPlan {
  readonly rows: NewDeliveryRow[] = [];
  readonly batches = new Map<string, GrowingBatch>();
  readonly #dispatcher: DeliverySender;
  readonly lease: Lease;
  readonly #nowMs: number;
  /** Deliveries that this process sends at once, by the bound that they share. */
  readonly #ofHost = new Map<TokenBucket, number>();

  constructor(dispatcher: DeliverySender, lease: Lease, nowMs: number) {
    this.#dispatcher = dispatcher;
    this.lease = lease;
    this.#nowMs = nowMs;
  }

  /**
   * Adds a delivery of the event and returns its row.
   * @param options.requested the seller requested this very delivery (a test): no filter applies, and it is as urgent as its event
   */
  add(
    event: OutgoingEvent,
    endpoint: PlannedEndpoint,
    { requested = false }: { requested?: boolean } = {},
  ): NewDeliveryRow {
    const id = newId('delivery', this.#nowMs);
    const priority = requested || endpoint.kind.isAsUrgentAsEvent ? event.priority : priorities.other;
    const row = {
      id,
      event_id: event.id,
      endpoint_id: endpoint.id,
      account_id: event.accountId,
      event_name: event.name,
      test: event.test,
      priority,
      status: this.#statusOf(event, endpoint, id, priority, requested),
    };
    this.rows.push(row);
    return row;
  }

  #statusOf(
    event: OutgoingEvent,
    endpoint: PlannedEndpoint,
    id: string,
    priority: Priority,
    requested: boolean,
  ): NewDeliveryRow['status'] {
    if (!requested && !endpoint.kind.takesName(endpoint, event.name)) return 'filtered';
    return endpoint.active ? this.#addToBatch(event, endpoint, id, priority) : 'held';
  }

  /**
   * While this process has capacity for the endpoint, it takes the delivery at once (`sending`). Otherwise the delivery
   * waits in the database (`pending`).
   */
  #addToBatch(event: OutgoingEvent, endpoint: PlannedEndpoint, id: string, priority: Priority): 'pending' | 'sending' {
    let batch = this.batches.get(endpoint.id);
    if (batch === undefined) {
      const rate = this.#dispatcher.hostRateOf(event.accountId, endpoint.url);
      batch = { destination: destinationOf(endpoint.id, endpoint), deliveries: [], overflow: new Set(), rate };
      this.batches.set(endpoint.id, batch);
    }
    const { deliveries, overflow, rate } = batch;
    // One of the same or a more urgent priority waits in the database already: this one waits behind it.
    const waits = [...overflow].some((other) => other <= priority);
    const isFull =
      deliveries.length >= this.#dispatcher.freeCapacityOf(endpoint.id, priority) ||
      (rate !== null && rate.roomFor(priority, this.#ofHost) <= 0);
    if (waits || isFull) {
      overflow.add(priority);
      return 'pending';
    }
    for (const bound of rate?.bounds ?? []) this.#ofHost.set(bound, (this.#ofHost.get(bound) ?? 0) + 1);
    batch.deliveries.push({
      id,
      accountId: event.accountId,
      eventId: event.id,
      eventName: event.name,
      body: event.body,
      test: event.test,
      traceparent: event.traceparent,
      priority,
      attemptNumber: 1,
      attemptsBeforeSchedule: 0,
      leaseToken: this.lease.token,
      leaseEndsMs: this.lease.endsMs,
    });
    return 'sending';
  }
}
