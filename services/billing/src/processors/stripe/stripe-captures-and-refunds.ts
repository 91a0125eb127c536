import { fromStripeAmount } from '@app/money/stripe-amounts';
import type Stripe from 'stripe';
import type { ProcessorCall, ProcessorOutcome, ReferenceRequest } from '../port.ts';
import { declineOf, declines } from './stripe-declines.rules.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { amountAtStripe, DefiniteNoError, StripeAnswerError } from './stripe-errors.ts';
import { readPayment } from './stripe-intents.ts';
import { captureMetadata, captureReference, markOf, metadataOf, readReference } from './stripe-objects.ts';
import { captureRefusal, refundOutcome } from './stripe-outcomes.ts';

/** The PaymentIntent that a request is about; undefined for a saved card. @throws Error where the account has none */
export async function intentAbout(
  { link }: StripeDeps,
  { reference }: ReferenceRequest,
  call: ProcessorCall,
): Promise<Stripe.PaymentIntent | undefined> {
  const { kind, id } = readReference(reference);
  if (kind === 'setup') return undefined;
  const intent = await readPayment(link, id, call);
  if (markOf(call, intent.metadata) === undefined) throw new Error('Stripe has no such payment of this account');
  return intent;
}

/** Captures and refunds name no currency at Stripe, so it is compared here. @throws DefiniteNoError for another one */
async function moneyAbout(deps: StripeDeps, request: ReferenceRequest, call: ProcessorCall) {
  const intent = await intentAbout(deps, request, call);
  const isSame = intent === undefined || intent.currency === request.currency;
  if (!isSame) throw new DefiniteNoError(declines.currencyMismatch);
  return { intent, amount: amountAtStripe(request) };
}

/** Captures a hold. */
export async function capture(
  deps: StripeDeps,
  request: ReferenceRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { intent, amount } = await moneyAbout(deps, request, call);
  if (intent === undefined) return declines.notAHold;
  const decided = captured(intent, request, call);
  if (decided !== undefined) return decided;
  if (amount > intent.amount_capturable) return declines.amountTooLarge;
  const parameters = {
    amount_to_capture: amount,
    metadata: captureMetadata(request.paymentId),
    expand: ['latest_charge'],
  };
  try {
    const after = await deps.link.send(call, request.paymentId, (stripe, options) =>
      stripe.paymentIntents.capture(intent.id, parameters, options),
    );
    return { status: 'succeeded', reference: captureReference(after) };
  } catch (err) {
    // Another capture or a release was faster, or Stripe says why not.
    if (!(err instanceof StripeAnswerError) || !isNo(err)) throw err;
    const after = await readPayment(deps.link, intent.id, call);
    const end = captured(after, request, call);
    if (end !== undefined) return end;
    return expiredCodes.has(err.code ?? '') ? declines.holdExpired : declineOf(err.decline);
  }
}

const expiredCodes = new Set(['charge_expired_for_capture', 'capture_charge_authorization_expired']);

/** Of a request about a payment: Stripe's certain no. Keys that are used with other parameters are none. */
const isNo = ({ status, type }: StripeAnswerError): boolean =>
  status === 402 || ((status === 400 || status === 404) && type !== 'idempotency_error');

/** The outcome of this capture, where the hold is none any more; undefined while it can be captured. @throws for another amount under the id */
function captured(
  intent: Stripe.PaymentIntent,
  { paymentId, amountCents, currency }: ReferenceRequest,
  call: ProcessorCall,
): ProcessorOutcome | undefined {
  const isThis = intent.status === 'succeeded' && markOf(call, intent.metadata)?.captureId === paymentId;
  if (!isThis) return captureRefusal(intent);
  if (intent.currency !== currency || fromStripeAmount(intent.amount_received, currency) !== amountCents) {
    throw new Error('Stripe got this capture before, with another amount');
  }
  return { status: 'succeeded', reference: captureReference(intent) };
}

/** Gives money back. Stripe refuses what is more than what is left. */
export async function refund(
  deps: StripeDeps,
  request: ReferenceRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { intent, amount } = await moneyAbout(deps, request, call);
  if (intent?.status !== 'succeeded') return declines.notRefundable;
  const { paymentId, made } = request;
  if (made !== undefined) throw new Error('this refund was made at Stripe, and is not made again');
  const orderId = markOf(call, intent.metadata)?.orderId ?? null;
  const metadata = metadataOf(call, { paymentId, orderId, call: 'refund' });
  const parameters = { payment_intent: intent.id, amount, metadata };
  try {
    return refundOutcome(
      await deps.link.send(call, paymentId, (stripe, options) => stripe.refunds.create(parameters, options)),
    );
  } catch (err) {
    if (!(err instanceof StripeAnswerError) || !isNo(err)) throw err;
    return err.param === 'amount' ? declines.amountTooLarge : declineOf(err.decline);
  }
}
