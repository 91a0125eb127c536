import type { TriggerName } from '../automations/trigger.rules.ts';
import type { EndpointBatch, Lease } from '../deliveries/delivery.types.ts';
import type { Priority } from '../deliveries/priority.rules.ts';

/** An event in the form that receivers get. */
export interface OutgoingEvent {
  readonly id: string;
  readonly accountId: string;
  readonly name: TriggerName;
  readonly orderId: string | null;
  /** The buyer's address in the payload. */
  readonly email: string | null;
  readonly productId: string | null;
  readonly test: boolean;
  readonly priority: Priority;
  /** Built once: every try signs and sends the same bytes. */
  readonly body: string;
  readonly traceparent: string | null;
  readonly occurredAt: string;
}

/** Who sends the stored deliveries, as far as storing them is concerned. */
export interface DeliverySender {
  newLease(): Lease;
  /** How many new deliveries of the priority it can send to the endpoint soon. */
  freeCapacityOf(endpointId: string, priority: Priority): number;
  /** Called before deliveries are stored under the lease. */
  expect(lease: Lease): void;
  /** Called once they are committed. */
  accept(lease: Lease, batches: readonly EndpointBatch[]): void;
}
