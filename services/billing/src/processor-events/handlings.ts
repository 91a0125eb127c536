import type { EventHandling } from './event-deps.ts';
import { disputes } from './handle-dispute.ts';
import { paymentIntents, setupIntents } from './handle-intent.ts';
import { refunds } from './handle-refund.ts';

/** One for each kind of object, each in a file of its own: what is not here is not stored. */
const handlings: readonly EventHandling[] = [paymentIntents, setupIntents, refunds, disputes];

export const handlingOf = (objectKind: string): EventHandling | undefined =>
  handlings.find((handling) => handling.objectKind === objectKind);
