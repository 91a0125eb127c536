import { dayMs, hourMs } from '@app/contracts/durations';
import { idTimeMs } from '@app/contracts/ids';
import { fromStripeAmount } from '@app/money/stripe-amounts';
import type Stripe from 'stripe';
import {
  type CardRequest,
  type OtherPayment,
  OtherPaymentError,
  type PaymentRequest,
  type ProcessorCall,
  type ProcessorOutcome,
  type ReferenceRequest,
} from '../port.ts';
import { intentAbout } from './stripe-captures-and-refunds.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import { eachOf, readPayment, readSetup } from './stripe-intents.ts';
import { captureReference, chargeOf, isHold, markOf, readReference, readSavedMethod } from './stripe-objects.ts';
import { captureRefusal, intentOutcome, refundOutcome } from './stripe-outcomes.ts';
import { cancelIntent, endUnconfirmed, isUnconfirmed, releaseOutcome } from './stripe-release.ts';
import { askable } from './stripe-sendings.ts';

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** How the payment stands that was sent as this request: it never calls what could charge, and never Stripe's search, which lags. */
export async function lookUp(
  deps: StripeDeps,
  sent: PaymentRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome | null> {
  switch (sent.call) {
    case 'capture':
    case 'refund': {
      const intent = await intentAbout(deps, sent.request, call);
      if (intent === undefined) return null;
      if (sent.call === 'capture') return captureOf(sent.request, intent, call);
      return await findRefund(deps, sent.request, intent.id, call);
    }
    case 'release':
      return await lookUpRelease(deps, sent.request, call);
    default:
      return await lookUpIntent(deps, sent, call);
  }
}

type Starting = Exclude<PaymentRequest, { call: 'capture' | 'refund' | 'release' }>;

function captureOf(
  request: ReferenceRequest,
  intent: Stripe.PaymentIntent,
  call: ProcessorCall,
): ProcessorOutcome | null {
  const isThis = intent.status === 'succeeded' && markOf(call, intent.metadata)?.captureId === request.paymentId;
  // One that the seller captured, or that has ended, cannot be captured any more: that is an answer, and nothing that never came.
  if (!isThis) return captureRefusal(intent) ?? null;
  const reference = captureReference(intent);
  const amountCents = fromStripeAmount(intent.amount_received, intent.currency);
  assertSame(request, { reference, kind: 'capture', status: 'succeeded', amountCents, currency: intent.currency });
  return { status: 'succeeded', reference };
}

async function findRefund(
  { link }: StripeDeps,
  request: ReferenceRequest,
  intentId: string,
  call: ProcessorCall,
): Promise<ProcessorOutcome | null> {
  const { made } = request;
  if (made !== undefined) {
    return refundOutcome(await link.read(call, (stripe, options) => stripe.refunds.retrieve(made, {}, options)));
  }
  const refunds = eachOf(link.read, call, (stripe, page, options) =>
    stripe.refunds.list({ ...page, payment_intent: intentId }, options),
  );
  for await (const refund of refunds) {
    if (markOf(call, refund.metadata)?.paymentId !== request.paymentId) continue;
    const outcome = refundOutcome(refund);
    const { id: reference, amount, currency } = refund;
    const status = outcome.status === 'succeeded' ? 'succeeded' : 'failed';
    assertSame(request, {
      reference,
      kind: 'refund',
      status,
      amountCents: fromStripeAmount(amount, currency),
      currency,
    });
    return outcome;
  }
  return null;
}

async function lookUpRelease(
  deps: StripeDeps,
  request: ReferenceRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome | null> {
  const { kind, id } = readReference(request.reference);
  const intent = kind === 'payment' ? await intentAbout(deps, request, call) : await readSetup(deps.link, id, call);
  if (intent === undefined) return null;
  return intent.status === 'canceled' || intent.status === 'succeeded' ? releaseOutcome(intent) : null;
}

async function lookUpIntent(deps: StripeDeps, sent: Starting, call: ProcessorCall): Promise<ProcessorOutcome | null> {
  const found = await findIntent(deps, sent, call);
  if (found === undefined) return null;
  const other = whatItIs(found);
  if (markOf(call, found.metadata)?.call !== sent.call) throw new OtherPaymentError(other);
  assertSame(sent.request, other);
  if (!isUnconfirmed(found)) return await stateOf(deps, found, sent, call);
  if (found.status !== 'canceled') await endUnconfirmed(deps, found.id, call);
  return null;
}

/**
 * A buyer who has the client secret could still pay with another card: that ends before the payment is declined. So does what
 * waits for a buyer who is away by now, as far as this database knows: one that a backup has replaced had sent it.
 */
async function stateOf(
  deps: StripeDeps,
  found: Intent,
  sent: Starting,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const confirmation = sent.call === 'chargeSaved' ? sent.request.confirmation : sent.request;
  const buyers = { call, request: confirmation ?? {} };
  const isAway = confirmation === undefined;
  const mayGoOn = found.status === 'requires_payment_method' || (isAway && found.status === 'requires_action');
  if (!mayGoOn) return await askable(deps, found, buyers);
  const ended = await cancelIntent(deps, found.id, call);
  // Its last error is what the sending was answered.
  const isItsAnswer = ended.status === 'canceled' && found.status === 'requires_payment_method';
  return isItsAnswer ? intentOutcome(found) : await askable(deps, ended, buyers);
}

async function findIntent(deps: StripeDeps, sent: Starting, call: ProcessorCall): Promise<Intent | undefined> {
  const { paymentId } = sent.request;
  const isIt = (intent: Intent): boolean => markOf(call, intent.metadata)?.paymentId === paymentId;
  if (sent.call === 'chargeSaved' && sent.request.reference !== undefined) {
    const known = await readPayment(deps.link, readReference(sent.request.reference).id, call);
    if (isIt(known)) return known;
  }
  const customer =
    sent.call === 'chargeSaved'
      ? readSavedMethod(sent.request.savedMethod)?.customer
      : (await deps.customers.find(call, sent.request.orderId))?.customer;
  let isCustomerKnown = true;
  if (customer !== undefined) {
    const found = await firstOf(deps, call, sent.call, { customer }, isIt).catch((err: unknown) => {
      isCustomerKnown = false;
      return unlessMissing(err);
    });
    if (found !== undefined) return found;
  }
  if (sent.call === 'chargeSaved' && isCustomerKnown) return undefined;
  // A database that was restored from a backup has lost the customer; the seller may have deleted them, and another Stripe account has none.
  const created = sent.call === 'chargeSaved' ? renewalRange(paymentId) : firstSentRange(sent.request);
  return await firstOf(deps, call, sent.call, { created }, isIt);
}

/** The id of a renewal has the time when its attempt falls due, which four retries may come before where cards are replaced. */
const renewalRange = (paymentId: string): Stripe.RangeQueryParam => ({
  gte: seconds(idTimeMs(paymentId) - 12 * dayMs),
});

/** Of a request without its times, or with a new card, the id has the time. */
function firstSentRange({ paymentId, firstSent }: CardRequest): Stripe.RangeQueryParam {
  const idMs = idTimeMs(paymentId);
  const [fromMs, toMs] = firstSent === undefined ? [idMs, idMs] : [firstSent.from, firstSent.to].map(Date.parse);
  return { gte: seconds((fromMs ?? idMs) - clocksDifferMs), lte: seconds((toMs ?? idMs) + clocksDifferMs) };
}

function unlessMissing(err: unknown): undefined {
  if (!(err instanceof StripeAnswerError) || err.code !== 'resource_missing') throw err;
}

/** Clocks differ, and what is sent arrives later. */
const clocksDifferMs = hourMs;
const seconds = (ms: number): number => Math.floor(ms / 1_000);

type Where = { readonly customer: string } | { readonly created: Stripe.RangeQueryParam };

/** Where the key was used for the other kind of intent it is found too, so that the look-up reports it. */
async function firstOf(
  { link }: StripeDeps,
  call: ProcessorCall,
  name: Starting['call'],
  where: Where,
  isIt: (intent: Intent) => boolean,
): Promise<Intent | undefined> {
  const payments = () =>
    eachOf<Intent>(link.read, call, (stripe, page, options) =>
      stripe.paymentIntents.list({ ...page, ...where, expand: ['data.latest_charge'] }, options),
    );
  const setups = () =>
    eachOf<Intent>(link.read, call, (stripe, page, options) =>
      stripe.setupIntents.list({ ...page, ...where }, options),
    );
  for (const list of name === 'saveMethod' ? [setups, payments] : [payments, setups]) {
    for await (const intent of list()) if (isIt(intent)) return intent;
  }
  return undefined;
}

function whatItIs(intent: Intent): OtherPayment {
  const reference = intent.id;
  if (intent.object === 'setup_intent') {
    const status = intent.status === 'succeeded' ? 'succeeded' : 'requires_action';
    return { reference, kind: 'method', status, amountCents: 0, currency: '' };
  }
  const { amount, currency } = intent;
  const kind = isHold(intent) ? 'hold' : 'charge';
  return { reference, kind, status: statusOf(intent), amountCents: fromStripeAmount(amount, currency), currency };
}

/** How a hold or charge went, whatever followed from it. */
export function statusOf(intent: Stripe.PaymentIntent): OtherPayment['status'] {
  if (intent.status === 'succeeded' || chargeOf(intent)?.status === 'succeeded') return 'succeeded';
  return intent.status === 'requires_action' ? 'requires_action' : 'declined';
}

function assertSame(
  { amountCents, currency }: Pick<PaymentRequest['request'], 'amountCents' | 'currency'>,
  found: OtherPayment,
): void {
  // A saved card has no currency at Stripe.
  const isSame =
    found.kind === 'method' ? amountCents === 0 : found.amountCents === amountCents && found.currency === currency;
  if (!isSame) throw new OtherPaymentError(found);
}
