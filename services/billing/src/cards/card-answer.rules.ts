import type { Payment } from '../charging/payment.types.ts';
import { replaceCard, type Subscription } from '../subscriptions/subscription-change.rules.ts';

/** The payment of a card, as it stands beside the order's other cards once its answer is written. */
export interface RecordedCard {
  readonly status: Payment['status'];
  /** A card that was given later is saved already. */
  readonly superseded: boolean;
  /** The same card was given twice at once: it is saved already, and gets no second free attempt. */
  readonly repeated: boolean;
}

/**
 * What the answer to a card's payment does to its subscription, as it stands when the answer is written. `decideAnswer` made the
 * payment's own part of the answer.
 * @returns the subscription with the card; null where it does not get it
 */
export function decideCard<Known extends Subscription>(
  { status, superseded, repeated }: RecordedCard,
  subscription: Known | undefined,
  now: Date,
): Known | null {
  if (status !== 'succeeded' || superseded || repeated) return null;
  if (subscription === undefined || subscription.status === 'canceled') return null;
  return { ...subscription, ...replaceCard(subscription, now) };
}
