import type Stripe from 'stripe';
import {
  type CardRequest,
  type Confirmation,
  NothingDoneError,
  type PaymentWords,
  type ProcessorCall,
  type ProcessorOutcome,
  type SavedMethodRequest,
} from '../port.ts';
import { customerInstead, customerOf, type OrderCustomer } from './stripe-customers.ts';
import { declines } from './stripe-declines.rules.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { amountAtStripe, StripeAnswerError } from './stripe-errors.ts';
import { readShownCard } from './stripe-intents.ts';
import { idOf, metadataOf, readSavedMethod } from './stripe-objects.ts';
import { confirmationUrl, intentOutcome } from './stripe-outcomes.ts';
import { refusalOf } from './stripe-refusals.ts';
import { cancelIntent, endUnconfirmed, isUnconfirmed } from './stripe-release.ts';

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

const cards: ['card'] = ['card'];

/** Charges the buyer's card, or holds the amount on it. */
export async function sendCard(
  deps: StripeDeps,
  name: 'authorize' | 'charge',
  request: CardRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { currency, savesCard } = request;
  const amount = amountAtStripe(request);
  return await withCustomer(deps, request, call, (stripe, customer, options) =>
    stripe.paymentIntents.create(
      {
        amount,
        currency,
        customer,
        confirm: true,
        allowed_payment_method_types: cards,
        capture_method: name === 'authorize' ? 'manual' : 'automatic',
        metadata: metadataOf(call, { ...request, call: name }),
        expand: ['latest_charge'],
        ...wordsOf(request),
        ...methodOf(request),
        ...confirmationOf(request),
        ...(savesCard !== false && { setup_future_usage: 'off_session' as const }),
      },
      options,
    ),
  );
}

/** Saves the buyer's card, and takes nothing. */
export async function sendMethod(
  deps: StripeDeps,
  request: CardRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  return await withCustomer(deps, request, call, (stripe, customer, options) =>
    stripe.setupIntents.create(
      {
        customer,
        confirm: true,
        usage: 'off_session',
        allowed_payment_method_types: cards,
        metadata: metadataOf(call, { ...request, call: 'saveMethod' }),
        ...methodOf(request),
        ...wayOfConfirming(request),
      },
      options,
    ),
  );
}

/** Charges a saved card, on-session where its buyer is there to confirm. */
export async function sendSaved(
  deps: StripeDeps,
  request: SavedMethodRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { paymentId, currency, savedMethod, confirmation } = request;
  const saved = readSavedMethod(savedMethod);
  if (saved === undefined) return declines.invalidMethod;
  const amount = amountAtStripe(request);
  const create = (stripe: Stripe, options: Stripe.RequestOptions) =>
    stripe.paymentIntents.create(
      {
        amount,
        currency,
        customer: saved.customer,
        payment_method: saved.method,
        confirm: true,
        allowed_payment_method_types: cards,
        capture_method: 'automatic',
        metadata: metadataOf(call, { ...request, call: 'chargeSaved' }),
        expand: ['latest_charge'],
        ...wordsOf(request),
        ...(confirmation === undefined ? { off_session: true } : confirmationOf(confirmation)),
      },
      options,
    );
  const made = await deps.link.send(call, paymentId, create).catch(async (err: unknown) => {
    const refusal = refusalOf(err);
    if (refusal?.of === 'customer') return declines.customerDeleted;
    const isUndecided = refusal?.of === 'request' || refusal?.of === 'parameter';
    if (isUndecided && !(await isAttached(deps, saved, call))) return declines.detachedMethod;
    // A mistake of ours, or an account that takes the currency no more, would otherwise end every subscription of the account at once.
    return await refused(deps, err, call);
  });
  return 'object' in made ? await askable(deps, made, { call, request: confirmation ?? {} }) : made;
}

/** Whether the card is its customer's still, as far as the key may read that: the seller may have removed it at Stripe. */
async function isAttached(
  { link }: StripeDeps,
  { customer, method }: NonNullable<ReturnType<typeof readSavedMethod>>,
  call: ProcessorCall,
): Promise<boolean> {
  const read = (stripe: Stripe, options: Stripe.RequestOptions) => stripe.paymentMethods.retrieve(method, {}, options);
  try {
    return idOf((await link.read(call, read)).customer) === customer;
  } catch (err) {
    if (err instanceof NothingDoneError) return true;
    throw err;
  }
}

/**
 * Makes an intent with the order's customer. One that Stripe does not know, because the seller deleted it there, is replaced. Stripe may
 * keep its answer under the key that was used with it, so this payment has another key from then on, at each sending: under two keys it
 * could be charged twice. The order's other payments keep theirs, which a restored database finds again.
 */
async function withCustomer(
  deps: StripeDeps,
  request: CardRequest,
  call: ProcessorCall,
  make: (stripe: Stripe, customer: string, options: Stripe.RequestOptions) => Promise<Intent>,
): Promise<ProcessorOutcome> {
  const { paymentId } = request;
  const send = async ({ customer, refused: payments }: OrderCustomer) => {
    const key = payments.includes(paymentId) ? `${paymentId} ${customer}` : paymentId;
    return await deps.link.send(call, key, (stripe, options) => make(stripe, customer, options));
  };
  const remembered = await customerOf(deps, call, request);
  const made = await send(remembered)
    .catch(async (err: unknown) => {
      if (refusalOf(err)?.of !== 'customer') throw err;
      return await send(await customerInstead(deps, call, request, remembered.customer));
    })
    .catch((err: unknown) => {
      const refusal = refusalOf(err);
      return refusal?.of === 'parameter' ? refusal.outcome : refused(deps, err, call);
    });
  return 'object' in made ? await askable(deps, made, { call, request }) : made;
}

/** A confirmation token of the browser, or a method: Stripe's own test cards are methods. */
const methodOf = ({ paymentMethod }: CardRequest) =>
  paymentMethod.startsWith('ctoken_') ? { confirmation_token: paymentMethod } : { payment_method: paymentMethod };

/**
 * What people read of it. Stripe gets no `receipt_email`: the buyer has a receipt of ours, and Stripe would send one of its own,
 * whatever the seller's settings there say (https://docs.stripe.com/receipts).
 */
const wordsOf = ({ description, statementSuffix }: PaymentWords) => ({
  ...(description !== undefined && description !== '' && { description }),
  ...(statementSuffix !== undefined && { statement_descriptor_suffix: statementSuffix }),
});

/** A buyer who cannot come back, and whose page runs no script, cannot confirm. */
const confirmationOf = (request: Confirmation) => wayOfConfirming(request) ?? { error_on_requires_action: true };

/**
 * Stripe's script shows the bank over the page that the buyer is on: https://docs.stripe.com/js/payment_intents/handle_next_action.
 * The bank's own page is the way of pages that do not run it, and of banks that the script leads to, which send the buyer back.
 */
function wayOfConfirming({ returnUrl, confirmsByScript = false }: Confirmation) {
  if (returnUrl !== null) return { return_url: returnUrl, use_stripe_sdk: confirmsByScript };
  return confirmsByScript ? { use_stripe_sdk: true } : undefined;
}

interface Sent {
  readonly call: ProcessorCall;
  readonly request: Pick<Confirmation, 'confirmsByScript'>;
}

/** The outcome of a buyer's intent; one that only a script can confirm, where the buyer's page runs none, is given up. */
export async function askable(deps: StripeDeps, intent: Intent, sent: Sent): Promise<ProcessorOutcome> {
  const { call, request } = sent;
  if (intent.object === 'setup_intent' && intent.status === 'succeeded') {
    return intentOutcome(intent, await readShownCard(deps.link, idOf(intent.payment_method) ?? '', call));
  }
  const isAskable = confirmationUrl(intent) !== null || request.confirmsByScript === true;
  if (intent.status !== 'requires_action' || isAskable) return intentOutcome(intent);
  const ended = await cancelIntent(deps, intent.id, call);
  return ended.status === 'canceled' ? declines.noConfirmation : await askable(deps, ended, sent);
}

/**
 * The outcome of a request that Stripe did not take: what is decided, or that nothing was done, as of an account that may not charge at
 * the moment. An earlier sending of the key would have had the same answer. What Stripe made of it is ended.
 * @throws NothingDoneError, and any other error as it is
 */
async function refused(deps: StripeDeps, err: unknown, call: ProcessorCall): Promise<ProcessorOutcome> {
  const refusal = refusalOf(err);
  if (refusal?.of === 'payment') return refusal.outcome;
  if (refusal === undefined || !(err instanceof StripeAnswerError)) throw err;
  if (err.intentId !== undefined) {
    const ended = await endUnconfirmed(deps, err.intentId, call);
    if (!isUnconfirmed(ended)) throw err;
  }
  throw new NothingDoneError('request_refused', `Stripe: ${err.decline.message}`);
}
