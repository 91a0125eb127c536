import type Stripe from 'stripe';
import type { ProcessorCall, ProcessorOutcome, ReferenceRequest } from '../port.ts';
import { declines } from './stripe-declines.rules.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import { readPayment, readSetup } from './stripe-intents.ts';
import { isHold, markOf, readReference, releaseReference } from './stripe-objects.ts';
import { isExpiredHold, lastNo } from './stripe-outcomes.ts';

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** Of an intent that Stripe made and did not confirm, as of a seller who may not charge: ended with it, it never was a payment. */
const neverConfirmed = 'abandoned';

/** An intent that Stripe made and did not confirm: nothing was done, and no bank has said anything of it. */
export const isUnconfirmed = (intent: Intent): boolean =>
  lastNo(intent) === undefined &&
  (intent.object === 'setup_intent' || intent.latest_charge === null) &&
  (intent.status === 'requires_payment_method' ||
    intent.status === 'requires_confirmation' ||
    (intent.status === 'canceled' && intent.cancellation_reason === neverConfirmed));

/** Ends one, so that nobody confirms it later. */
export const endUnconfirmed = (deps: StripeDeps, id: string, call: ProcessorCall): Promise<Intent> =>
  cancelIntent(deps, id, call, neverConfirmed);

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
export function releaseOutcome(intent: Intent): ProcessorOutcome {
  if (intent.status === 'canceled' && !isExpiredHold(intent)) {
    return { status: 'succeeded', reference: releaseReference(intent.id) };
  }
  const isCaptured = intent.object === 'payment_intent' && intent.status === 'succeeded' && isHold(intent);
  return isCaptured ? declines.alreadyCaptured : declines.alreadySucceeded;
}

/**
 * Cancels an intent: a second cancel finds what the first did, so it needs no key.
 * @param reason what Stripe keeps beside it
 * @returns the intent as it stands then, canceled or, where that came too late, succeeded
 */
export async function cancelIntent(
  deps: StripeDeps,
  id: string,
  call: ProcessorCall,
  reason?: typeof neverConfirmed,
): Promise<Intent> {
  const { kind } = readReference(id);
  const why = reason === undefined ? {} : { cancellation_reason: reason };
  try {
    if (kind === 'payment') {
      const expand = ['latest_charge'];
      return await deps.link.send(call, undefined, (stripe, options) =>
        stripe.paymentIntents.cancel(id, { ...why, expand }, options),
      );
    }
    return await deps.link.send(call, undefined, (stripe, options) => stripe.setupIntents.cancel(id, why, options));
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
