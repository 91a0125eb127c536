import type { EventType } from '../processors/stripe/stripe-endpoints.ts';
import type { EventHandling } from './event-deps.ts';
import { disputes } from './handle-dispute.ts';
import { paymentIntents, setupIntents } from './handle-intent.ts';
import { refunds } from './handle-refund.ts';

/** One for each kind of object, each in a file of its own. */
const handlings: readonly EventHandling[] = [paymentIntents, setupIntents, refunds, disputes];

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
