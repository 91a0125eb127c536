import type Stripe from 'stripe';
import { NothingDoneError, type ProcessorCall } from '../port.ts';
import { StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';

/** Whose a key is at Stripe, and what it may not do that the adapter does. */
export interface KeyOwner {
  readonly account: string;
  readonly name: string | null;
  /** What the account is paid out in by default, in lower case. */
  readonly settlementCurrency: string | null;
  readonly missingPermissions: readonly string[];
  /** False where Stripe does not accept the publishable key, or it is of another Stripe account. */
  readonly fitsPublishableKey: boolean;
}

/** @throws NothingDoneError where Stripe does not accept the key, or cannot be reached */
export async function keyOwner(link: StripeLink, call: ProcessorCall, publishableKey: string): Promise<KeyOwner> {
  const account = await link.read(call, (stripe, options) => stripe.accounts.retrieveCurrent({}, options));
  const name = account.settings?.dashboard?.display_name ?? account.business_profile?.name ?? account.email;
  const missing = await Promise.all(probes.map(async (probe) => ((await may(link, call, probe)) ? [] : [probe.name])));
  const missingPermissions = missing.flat();
  const fitsPublishableKey =
    missingPermissions.includes(savingCards) || (await fitsPublishable(link, call, publishableKey));
  return {
    account: account.id,
    name: name ?? null,
    settlementCurrency: account.default_currency?.toLowerCase() ?? null,
    missingPermissions,
    fitsPublishableKey,
  };
}

/**
 * A publishable key reads no more than an intent of its own account whose client secret it knows: one that saves no card and is
 * cancelled at once.
 */
async function fitsPublishable(link: StripeLink, call: ProcessorCall, publishableKey: string): Promise<boolean> {
  const { id, client_secret } = await link.send(call, undefined, (stripe, options) =>
    stripe.setupIntents.create({ usage: 'off_session', allowed_payment_method_types: ['card'] }, options),
  );
  try {
    await link.read({ ...call, secretKey: publishableKey }, (stripe, options) =>
      stripe.setupIntents.retrieve(id, { client_secret: client_secret ?? '' }, options),
    );
    return true;
  } catch (err) {
    const isRefused = err instanceof NothingDoneError && err.why === 'key_refused';
    if (isRefused || (err instanceof StripeAnswerError && err.code === 'resource_missing')) return false;
    throw err;
  } finally {
    const cancel = (stripe: Stripe, options: Stripe.RequestOptions) => stripe.setupIntents.cancel(id, {}, options);
    // One that is left behind can save no card: its client secret is known here alone.
    await link.send(call, undefined, cancel).catch(() => undefined);
  }
}

interface Probe {
  /** As Stripe's Dashboard names the permission. */
  readonly name: string;
  /** Changes nothing: where it would, Stripe refuses its values, after it has checked the permission. */
  request(stripe: Stripe, options: Stripe.RequestOptions): Promise<unknown>;
}

const noId = 'none_of_these';
const savingCards = 'SetupIntents: write';
const probes: readonly Probe[] = [
  { name: 'Customers: write', request: (stripe, options) => stripe.customers.create({ email: 'no address' }, options) },
  {
    name: 'PaymentIntents: write',
    request: (stripe, options) => stripe.paymentIntents.create({ amount: 0, currency: 'usd' }, options),
  },
  {
    name: savingCards,
    request: (stripe, options) => stripe.setupIntents.create({ customer: noId, payment_method: noId }, options),
  },
  {
    name: 'Charges and Refunds: write',
    request: (stripe, options) => stripe.refunds.create({ payment_intent: noId }, options),
  },
  { name: 'Disputes: read', request: (stripe, options) => stripe.disputes.list({ limit: 1 }, options) },
  { name: 'PaymentMethods: read', request: (stripe, options) => stripe.paymentMethods.retrieve(noId, {}, options) },
  { name: 'Balance: read', request: (stripe, options) => stripe.balanceTransactions.list({ limit: 1 }, options) },
  { name: 'Events: read', request: (stripe, options) => stripe.events.list({ limit: 1 }, options) },
];

async function may(link: StripeLink, call: ProcessorCall, { request }: Probe): Promise<boolean> {
  // A secret key may do everything.
  if (!call.secretKey?.startsWith('rk_')) return true;
  try {
    await link.send(call, undefined, request);
  } catch (err) {
    if (err instanceof NothingDoneError && err.why === 'key_refused') return false;
    if (!(err instanceof StripeAnswerError)) throw err;
  }
  return true;
}
