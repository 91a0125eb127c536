import type { Random } from './random.ts';
import type { Shop, World } from './world.ts';

interface Cards {
  /** Those that succeed at once, more often than the others. */
  readonly good: readonly string[];
  /** That do something else later. */
  readonly later: readonly string[];
  readonly bad: readonly string[];
}

const simulated: Cards = {
  good: ['sim_ok', 'sim_ok', 'sim_slow', 'sim_timeout_after', 'sim_error_after', 'sim_requires_action'],
  later: [
    ...['sim_renewal_declined', 'sim_renewal_insufficient_funds', 'sim_renewal_lost_card', 'sim_refund_declined'],
    ...['sim_renewal_requires_action', 'sim_renewal_timeout_after', 'sim_refund_fails', 'sim_timeout_before'],
    ...['sim_hold_expires', 'sim_capture_fails'],
  ],
  bad: [
    ...['sim_declined', 'sim_insufficient_funds', 'sim_lost_card', 'sim_expired_card', 'sim_action_refused'],
    ...['sim_action_ignored', 'no-such-card'],
  ],
};

/** Of Stripe and of its stand-in, after `pm_` or `ctoken_`: `services/billing/test/stripe/cards.ts` says what they do. */
const ofStripe: Cards = {
  good: ['card_visa', 'card_visa', 'card_visa', 'card_authenticationRequiredOnSetup', 'standin_script'],
  later: [
    ...['card_chargeCustomerFail', 'standin_later', 'standin_later_refuses', 'card_refundFail'],
    ...['standin_refund_refused', 'standin_hold_expired', 'standin_capture_refused', 'card_pendingRefund'],
  ],
  bad: [
    ...['card_chargeDeclined', 'card_chargeDeclinedInsufficientFunds', 'card_chargeDeclinedLostCard'],
    ...['card_chargeDeclinedExpiredCard', 'standin_refuses', 'standin_leaves', 'no_such_card'],
  ],
};

function draw({ good, later, bad }: Cards, random: Random): string {
  const chance = random.next();
  return random.oneOf(chance < 0.6 ? good : chance < 0.85 ? later : bad);
}

let tokens = 0;

/** A buyer's card, as the browser sends it: at Stripe a confirmation token, which is used once. */
export function drawCard(random: Random, { stripe }: Shop): string {
  if (stripe === undefined) return draw(simulated, random);
  tokens += 1;
  return `ctoken_${draw(ofStripe, random)}--${tokens}`;
}

/** A card that was saved outside of the checkout: at Stripe by a customer of the seller's own. */
export function drawSavedCard(random: Random, { stripe }: Shop, world: World): string {
  if (stripe === undefined) return draw(simulated, random);
  const name = draw(ofStripe, random);
  if (name === 'no_such_card') return 'cus_none/pm_none';
  return world.stripe.booksOf(stripe.secretKey).savedCard(`pm_${name}`);
}
