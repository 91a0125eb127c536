import type Stripe from 'stripe';
import { NothingDoneError, type ProcessorCall } from '../port.ts';
import { NotPermittedError, StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';
import { missingPermissions } from './stripe-probes.ts';

/** Whether Stripe takes payments for an account, and what it wants of its seller. */
export interface AccountState {
  readonly mayCharge: boolean;
  /** In Stripe's words: https://docs.stripe.com/api/accounts/object, `requirements.disabled_reason`. */
  readonly disabledReason: string | null;
  /** In Stripe's words: `company.tax_id`. */
  readonly due: readonly string[];
}

/** Whose a key is at Stripe, and what it may not do that the adapter does. */
export interface KeyOwner {
  readonly account: string;
  /** Null where it has none, or the key may not read it. */
  readonly name: string | null;
  /** What the account is paid out in by default, in lower case. */
  readonly settlementCurrency: string | null;
  /** Null where the key may not read it, and in test mode, which takes test cards all the same. */
  readonly state: AccountState | null;
  readonly missingPermissions: readonly string[];
  /** False where Stripe does not accept the publishable key, or it is of another Stripe account. */
  readonly fitsPublishableKey: boolean;
}

/** @throws NothingDoneError where Stripe does not accept the key, or cannot be reached */
export async function keyOwner(link: StripeLink, call: ProcessorCall, publishableKey: string): Promise<KeyOwner> {
  const found = await readAccount(link, call);
  const missing = [...(await missingPermissions(link, call)), ...found.missing];
  const fitsPublishableKey = missing.includes(savingCards) || (await fitsPublishable(link, call, publishableKey));
  const { account, name, settlementCurrency } = found;
  const state = call.test ? null : found.state;
  return { account, name, settlementCurrency, state, missingPermissions: missing, fitsPublishableKey };
}

type Account = Pick<KeyOwner, 'account' | 'name' | 'settlementCurrency' | 'state'> & {
  readonly missing: readonly string[];
};

/** Of a key that may not read its account Stripe says whose it is all the same: the refusal names the account. */
async function readAccount(link: StripeLink, call: ProcessorCall): Promise<Account> {
  try {
    const found = await link.read(call, (stripe, options) => stripe.accounts.retrieveCurrent({}, options));
    const name = found.settings?.dashboard?.display_name ?? found.business_profile?.name ?? found.email ?? null;
    const settlementCurrency = found.default_currency?.toLowerCase() ?? null;
    return { account: found.id, name, settlementCurrency, state: stateOf(found), missing: [] };
  } catch (err) {
    if (!(err instanceof NotPermittedError) || err.account === undefined) throw err;
    return { account: err.account, name: null, settlementCurrency: null, state: null, missing: [readingAccounts] };
  }
}

function stateOf({ charges_enabled, requirements, capabilities }: Stripe.Account): AccountState {
  const due = [...(requirements?.past_due ?? []), ...(requirements?.currently_due ?? [])];
  return {
    mayCharge: charges_enabled && capabilities?.card_payments !== 'inactive',
    disabledReason: requirements?.disabled_reason ?? null,
    due: [...new Set(due)],
  };
}

/** How the account of the key stands; undefined where the key may not read it. @throws NothingDoneError, StripeAnswerError */
export async function accountState(
  link: StripeLink,
  call: ProcessorCall,
): Promise<{ readonly account: string; readonly state: AccountState } | undefined> {
  const { account, state } = await readAccount(link, call);
  return state === null ? undefined : { account, state };
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
    const isRefused = err instanceof NothingDoneError && (err.why === 'key_refused' || err.why === 'not_permitted');
    if (isRefused || (err instanceof StripeAnswerError && err.code === 'resource_missing')) return false;
    throw err;
  } finally {
    const cancel = (stripe: Stripe, options: Stripe.RequestOptions) => stripe.setupIntents.cancel(id, {}, options);
    // One that is left behind can save no card: its client secret is known here alone.
    await link.send(call, undefined, cancel).catch(() => undefined);
  }
}

const savingCards = 'SetupIntents: write';
const readingAccounts = 'Accounts: read';
