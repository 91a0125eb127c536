import type { EndpointBatch, Lease } from './delivery.types.ts';
import type { HostRate } from './host-rates.ts';
import type { Priority } from './priority.rules.ts';

/** Who sends the stored deliveries, as far as storing them is concerned: the dispatcher. */
export interface DeliverySender {
  newLease(): Lease;
  /** How many new deliveries of the priority it can send to the endpoint soon. */
  freeCapacityOf(endpointId: string, priority: Priority): number;
  /** The bound that the account's deliveries to the URL's host share; null where there is none. */
  hostRateOf(accountId: string, url: string | null): HostRate | null;
  /** Called before deliveries are stored under the lease. */
  registerLease(lease: Lease): void;
  /** Called once they are committed. */
  queueCommitted(lease: Lease, batches: readonly EndpointBatch[]): void;
}
