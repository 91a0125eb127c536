import type Stripe from 'stripe';
import type { ProcessorCall, ProcessorOutcome, ReferenceRequest } from '../port.ts';
import { declines } from './stripe-declines.rules.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import { readPayment, readSetup } from './stripe-intents.ts';
import { markOf, readReference, releaseReference } from './stripe-objects.ts';
import { isExpiredHold } from './stripe-outcomes.ts';

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** Ends a hold, or what waits for its buyer. */
export async function release(
  deps: StripeDeps,
  request: ReferenceRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { id } = readReference(request.reference);
  // Money of another platform is not touched.
  const before = await readIntent(deps, id, call);
  return releaseOutcome(before.status === 'canceled' ? before : await cancelIntent(deps, id, call));
}

/** What Stripe's script confirms with. */
export async function clientSecret(deps: StripeDeps, reference: string, call: ProcessorCall): Promise<string | null> {
  const { status, client_secret } = await readIntent(deps, readReference(reference).id, call);
  return status === 'requires_action' ? client_secret : null;
}

/** How a release stands: an intent that succeeded was not ended by it, nor a hold that had expired. */
export const releaseOutcome = (intent: Intent): ProcessorOutcome =>
  intent.status === 'canceled' && !isExpiredHold(intent)
    ? { status: 'succeeded', reference: releaseReference(intent.id) }
    : declines.alreadySucceeded;

/**
 * Cancels an intent: a second cancel finds what the first did, so it needs no key.
 * @returns the intent as it stands then, canceled or, where that came too late, succeeded
 */
export async function cancelIntent(deps: StripeDeps, id: string, call: ProcessorCall): Promise<Intent> {
  const { kind } = readReference(id);
  try {
    if (kind === 'payment') {
      const expand = ['latest_charge'];
      return await deps.link.send(call, undefined, (stripe, options) =>
        stripe.paymentIntents.cancel(id, { expand }, options),
      );
    }
    return await deps.link.send(call, undefined, (stripe, options) => stripe.setupIntents.cancel(id, {}, options));
  } catch (err) {
    if (!(err instanceof StripeAnswerError) || err.status !== 400) throw err;
    const intent = await readIntent(deps, id, call);
    if (intent.status !== 'canceled' && intent.status !== 'succeeded') throw err;
    return intent;
  }
}

/** @throws Error where the account has no such intent */
async function readIntent({ link }: StripeDeps, id: string, call: ProcessorCall): Promise<Intent> {
  const read = readReference(id).kind === 'payment' ? readPayment : readSetup;
  const intent = await read(link, id, call);
  if (markOf(call, intent.metadata) === undefined) throw new Error('Stripe has no such payment of this account');
  return intent;
}
