import type Stripe from 'stripe';
import {
  type CardRequest,
  type Confirmation,
  NothingDoneError,
  type ProcessorCall,
  type ProcessorOutcome,
  type SavedMethodRequest,
} from '../port.ts';
import { customerOf } from './stripe-customers.ts';
import { declineOf, declines, impossible } from './stripe-declines.rules.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { amountAtStripe, StripeAnswerError } from './stripe-errors.ts';
import { readLast4 } from './stripe-intents.ts';
import { idOf, metadataOf, readSavedMethod } from './stripe-objects.ts';
import { confirmationUrl, intentOutcome } from './stripe-outcomes.ts';
import { cancelIntent } from './stripe-release.ts';

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
  try {
    const intent = await deps.link
      .send(call, paymentId, (stripe, options) =>
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
            ...(confirmation === undefined ? { off_session: true } : confirmationOf(confirmation)),
          },
          options,
        ),
      )
      .catch(ofMaking);
    return await askable(deps, intent, { call, request: confirmation ?? {} });
  } catch (err) {
    if (isMissing(err, 'customer')) return declines.invalidMethod;
    return definiteNo(err);
  }
}

/** Makes an intent with the order's customer; one that Stripe does not know, because the seller deleted it there, is replaced. */
async function withCustomer(
  deps: StripeDeps,
  request: CardRequest,
  call: ProcessorCall,
  make: (stripe: Stripe, customer: string, options: Stripe.RequestOptions) => Promise<Intent>,
): Promise<ProcessorOutcome> {
  const send = async (customer: string): Promise<ProcessorOutcome> => {
    const intent = await deps.link
      .send(call, request.paymentId, (stripe, options) => make(stripe, customer, options))
      .catch(ofMaking);
    return await askable(deps, intent, { call, request });
  };
  const customer = await customerOf(deps, call, request);
  try {
    return await send(customer);
  } catch (err) {
    if (!isMissing(err, 'customer')) return definiteNo(err);
  }
  const another = await customerOf(deps, call, request, customer);
  return await send(another).catch(definiteNo);
}

const isMissing = (err: unknown, param: string): boolean =>
  err instanceof StripeAnswerError && err.code === 'resource_missing' && err.param === param;

/** A confirmation token of the browser, or a method: Stripe's own test cards are methods. */
const methodOf = ({ paymentMethod }: CardRequest) =>
  paymentMethod.startsWith('ctoken_') ? { confirmation_token: paymentMethod } : { payment_method: paymentMethod };

/** A buyer who cannot come back, and whose page runs no script, cannot confirm. */
const confirmationOf = (request: Confirmation) => wayOfConfirming(request) ?? { error_on_requires_action: true };

/** The bank's page, which shows the bank's address and works in every browser, comes before Stripe's script. */
function wayOfConfirming({ returnUrl, confirmsByScript }: Confirmation) {
  if (returnUrl !== null) return { return_url: returnUrl, use_stripe_sdk: false };
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
    return intentOutcome(intent, await readLast4(deps.link, idOf(intent.payment_method) ?? '', call));
  }
  const isAskable = confirmationUrl(intent) !== null || request.confirmsByScript === true;
  if (intent.status !== 'requires_action' || isAskable) return intentOutcome(intent);
  const ended = await cancelIntent(deps, intent.id, call);
  return ended.status === 'canceled' ? declines.noConfirmation : await askable(deps, ended, sent);
}

const notTheMoney = new Set<string | undefined>(['amount_too_large', 'amount_too_small']);

/** A no that is certain: the bank's, or Stripe's to a card, amount or currency. @throws any other error */
function definiteNo(err: unknown): ProcessorOutcome {
  const no = noOf(err);
  if (no === undefined) throw err;
  return no;
}

function noOf(err: unknown): ProcessorOutcome | undefined {
  if (!(err instanceof StripeAnswerError)) return undefined;
  const { type, param, decline, status } = err;
  if (type === 'card_error') return declineOf(decline);
  if (type !== 'invalid_request_error' || (status !== 400 && status !== 404)) return undefined;
  if (param === 'confirmation_token') return declines.invalidToken;
  if (param === 'payment_method') return declines.invalidMethod;
  if (notTheMoney.has(decline.code)) return declineOf(decline);
  if (param === 'currency') return impossible('currency_not_supported', decline.message ?? err.message);
  return undefined;
}

/**
 * The error of a request that makes an intent. Stripe makes none of a request that it does not take, as from an account that may not
 * charge at the moment: nothing was done, and its seller reads why. An earlier sending of the key would have had the same answer.
 */
function ofMaking(err: unknown): never {
  const isRefused = err instanceof StripeAnswerError && err.status === 400 && err.type === 'invalid_request_error';
  if (!isRefused || err.hasIntent || noOf(err) !== undefined) throw err;
  throw new NothingDoneError('request_refused', `Stripe: ${err.decline.message}`);
}
