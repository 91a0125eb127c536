import type { EndpointBatch, Lease } from './delivery.types.ts';
import type { HostRate } from './host-rates.ts';
import type { Priority } from './priority.rules.ts';

/** The part of the dispatcher that storing deliveries needs: it says what it can send at once, and takes that over. */
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
