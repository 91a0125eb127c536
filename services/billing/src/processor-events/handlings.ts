import type { EventType } from '../processors/stripe/stripe-endpoints.ts';
import type { EventHandling } from './event-deps.ts';
import { accounts } from './handle-account.ts';
import { disputes } from './handle-dispute.ts';
import { fraudWarnings } from './handle-fraud-warning.ts';
import { paymentIntents, setupIntents } from './handle-intent.ts';
import { payouts } from './handle-payout.ts';
import { refunds } from './handle-refund.ts';
import { deletedCustomers, removedMethods } from './handle-removed-card.ts';

/** One for each kind of object, each in a file of its own. */
const handlings: readonly EventHandling[] = [
  paymentIntents,
  setupIntents,
  refunds,
  disputes,
  fraudWarnings,
  accounts,
  payouts,
  removedMethods,
  deletedCustomers,
];

const byType = new Map(handlings.flatMap((handling) => handling.types.map((type) => [type, handling] as const)));

/**
 * The types of events that the platform's endpoints at Stripe get, sorted: those that something handles. `charge.refunded` is none:
 * its object is the charge, and `refund.created` has the refund.
 */
export const eventTypes: readonly EventType[] = [...byType.keys()].sort();

/** What handles an event; undefined for one that is not stored. */
export function handlingOf(type: string, objectKind: string): EventHandling | undefined {
  const handling = byType.get(type as EventType);
  return handling?.objectKind === objectKind ? handling : undefined;
}
