import type { HeldChoice } from '@app/contracts/webhooks';

/** An endpoint before and after a change. */
export interface Switched {
  /** Whether it had a URL before. */
  readonly wasConnected: boolean;
  readonly wasActive: boolean;
  readonly isActive: boolean;
}

/** What becomes of the deliveries that are held when the change is made. */
export interface HeldDecision {
  /** Sent, oldest first. */
  readonly send: 'all' | 'orders' | null;
  /** Dropped; `others` are those that `orders` does not send. */
  readonly discard: 'all' | 'others' | null;
}

const decisions: Readonly<Record<HeldChoice, HeldDecision>> = {
  send: { send: 'all', discard: null },
  orders: { send: 'orders', discard: 'others' },
  discard: { send: null, discard: 'all' },
};

/**
 * Left out, switching on sends what was held. The first URL leaves it held, because events of weeks ago would surprise
 * its receiver.
 * @returns null when the endpoint is off and so cannot be sent what is held
 */
export function decideHeld(
  { wasConnected, wasActive, isActive }: Switched,
  choice: HeldChoice | undefined,
): HeldDecision | null {
  const chosen = choice ?? (isActive && !wasActive && wasConnected ? 'send' : undefined);
  if (chosen === undefined) return { send: null, discard: null };
  return isActive || chosen === 'discard' ? decisions[chosen] : null;
}
