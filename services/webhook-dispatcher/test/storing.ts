import { createWriteBuiltIns } from '../src/automations/built-in-writer.ts';
import { Leases } from '../src/deliveries/leases.ts';
import type { StoreEventsDeps } from '../src/events/store-events.ts';
import type { Harness } from './harness.ts';

/** Stores events and sends nothing: what is stored waits for a claim. */
export function storing({ clock, partitions }: Harness) {
  const leases = new Leases(1, 60);
  const dispatcher = {
    newLease: () => leases.create(),
    freeCapacityOf: () => 0,
    hostRateOf: () => null,
    registerLease: () => {},
    queueCommitted: () => {},
  };
  const emails = { emailsAvailable: false, writeBuiltIns: createWriteBuiltIns(false) };
  return { clock, partitions, dispatcher, ...emails } satisfies StoreEventsDeps;
}
