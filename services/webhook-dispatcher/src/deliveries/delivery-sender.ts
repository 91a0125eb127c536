import type { EndpointBatch, Lease } from './delivery.types.ts';
import type { Priority } from './priority.rules.ts';

/** Who sends the stored deliveries, as far as storing them is concerned: the dispatcher. */
export interface DeliverySender {
  newLease(): Lease;
  /** How many new deliveries of the priority it can send to the endpoint soon. */
  freeCapacityOf(endpointId: string, priority: Priority): number;
  /** Called before deliveries are stored under the lease. */
  registerLease(lease: Lease): void;
  /** Called once they are committed. */
  queueCommitted(lease: Lease, batches: readonly EndpointBatch[]): void;
}
