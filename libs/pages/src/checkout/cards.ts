import type { CardProcessor } from '@app/contracts/payment-processors';
import { toStripeAmount } from '@app/money/stripe-amounts';
import { select } from '../components/field.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';

/** How a buyer gives a card: one for each processor. The form sends its token as `card`. */
export interface CardForm {
  /** @param chosen what the form sent last */
  fields(chosen: string, error?: string): Html;
  /** What is said at the card where a form was sent without one. */
  readonly missing: string;
  /** Said below the button of what is typed here; null where there is nothing to say. */
  readonly trust: string | null;
  /** The name of its module among `pageFiles`; null where HTML is enough. */
  readonly module: string | null;
  /** What the content-security-policy allows it beside this site. */
  readonly sources: {
    readonly script: readonly string[];
    readonly frame: readonly string[];
    readonly connect: readonly string[];
  };
  /** Stands for a card where nothing is charged, and none is requested. */
  readonly tokenOfNone: string;
}

const testCards = [
  ['sim_ok', 'Card that succeeds'],
  ['sim_declined', 'Card that is declined'],
  ['sim_requires_action', 'Card that asks the bank'],
  ['sim_always_requires_action', 'Card that asks the bank each time'],
  ['sim_insufficient_funds', 'Card without enough money'],
  ['sim_slow', 'Card that takes a while'],
  ['sim_timeout_after', 'Card whose answer gets lost'],
] as const;

const nowhere = { script: [], frame: [], connect: [] };

/** The simulated processor's: its cards have names, and the page says that no money moves. */
export const simulatedCard: CardForm = {
  fields: (chosen, error) =>
    // Redraws leave it as the buyer has it.
    html`<div id="card-form">${select({
      name: 'card',
      label: 'Test card',
      value: chosen,
      options: testCards,
      hint: 'This shop takes test cards. No money moves.',
      error,
    })}</div>`,
  missing: 'Choose a card.',
  trust: null,
  module: null,
  sources: nowhere,
  tokenOfNone: 'sim_ok',
};

const withoutFields = (text: string): CardForm => ({
  fields: () => notice('info', text),
  missing: text,
  trust: null,
  module: null,
  sources: nowhere,
  tokenOfNone: 'sim_ok',
});

/** A seller who takes no payments: what costs nothing can be had all the same. */
const noCard = withoutFields('This shop takes no payments yet.');
const notKnown = withoutFields('Cards are not taken at the moment. Nothing was charged. Try again in a minute.');
const notInCurrency = (currency: string): CardForm =>
  withoutFields(`This shop takes no cards in ${currency.toUpperCase()}.`);

/** What wallets tell their buyers of a subscription. */
export interface Renewal {
  readonly name: string;
  readonly amountCents: number;
  readonly interval: 'month' | 'year';
  /** The whole address of the page where its buyer manages it. */
  readonly manageUrl: string;
}

/** What a card is requested for. */
export interface CardUse {
  /** The page's own name of its fields: those of another page are other ones. */
  readonly name: string;
  /** `setup`: the card is saved, and nothing is charged now. */
  readonly mode: 'payment' | 'setup';
  readonly amountCents: number;
  readonly currency: string;
  /** It is charged later as well. */
  readonly savesCard: boolean;
  /** Of a subscription, what is charged later. */
  readonly renewal?: Renewal | null;
  /** Of the gallery, which runs no script. */
  readonly state?: 'loading' | 'failed';
}

const stripeTexts = {
  label: 'Card',
  trust: 'Card data goes straight to Stripe',
  missing: 'Enter your card. It needs JavaScript, which is off in this browser.',
  noScript: 'Card payments need JavaScript. Switch it on in this browser, and load the page again.',
  loading: 'Loading the card fields…',
  failed:
    'The card fields could not be loaded from Stripe. Nothing was charged. Check your connection, and that nothing in your browser blocks js.stripe.com.',
  again: 'Try again',
  changed: 'The total changed while you paid. Nothing was charged. Check the total, and pay again.',
} as const;

/** What Stripe documents that its script needs: https://docs.stripe.com/security/guide */
const stripeSources = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
};

/** Stripe's own fields, which `browser/stripe-card.js` puts in place. The script alone fills in the token, so that none comes back. */
function stripeCard(publishableKey: string, use: CardUse): CardForm {
  const { name, mode, currency, savesCard, state = 'loading' } = use;
  const converted = toStripeAmount(use.amountCents, currency);
  if (!('amount' in converted)) return notInCurrency(currency);
  return {
    fields: (_, error) =>
      html`<div class="field" id="card-form" role="group" aria-labelledby="${name}-label"><p class="label" id="${name}-label">${stripeTexts.label}</p><div
class="card-fields" id="${name}" hx-morph-skip-children="true" data-stripe-key="${publishableKey}" data-mode="${mode}" data-amount="${converted.amount}" data-currency="${currency}" data-saves="${savesCard ? 'true' : null}" data-recurring="${recurringOf(use)}" data-failed="${stripeTexts.failed}" data-changed="${stripeTexts.changed}">${loadStates(state)}</div><input
type="hidden" name="card" value=""><input type="hidden" name="by-script" value="true"><noscript>${notice('info', stripeTexts.noScript)}</noscript>${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}</div>`,
    missing: stripeTexts.missing,
    trust: stripeTexts.trust,
    module: 'stripe-card.js',
    sources: stripeSources,
    tokenOfNone: 'none',
  };
}

/**
 * What Apple Pay's sheet says of a subscription, as JSON: with it Apple's token is the buyer's, and not only the phone's, so that
 * renewals go on with another phone. The fields are those of the Payment Element's option `applePay`:
 * https://github.com/stripe/stripe-js/blob/master/types/stripe-js/elements/payment.d.ts
 */
function recurringOf({ renewal = null, currency }: CardUse): string | null {
  if (renewal === null) return null;
  const { name, amountCents, interval, manageUrl } = renewal;
  const converted = toStripeAmount(amountCents, currency);
  if (!('amount' in converted)) return null;
  const every = { recurringPaymentIntervalUnit: interval, recurringPaymentIntervalCount: 1 };
  const regularBilling = { label: name, amount: converted.amount, ...every };
  return JSON.stringify({ paymentDescription: name, managementURL: manageUrl, regularBilling });
}

/** What is shown instead of the fields before they are there; the script shows one of them. */
const loadStates = (shown: 'loading' | 'failed'): Html =>
  html`<p class="quiet small" data-card="loading" hidden="${shown !== 'loading'}">${stripeTexts.loading}</p><div class="stack tight" data-card="failed" role="alert"
hidden="${shown !== 'failed'}"><p class="error">${stripeTexts.failed}</p><div><button type="button" class="button">${stripeTexts.again}</button></div></div>`;

const drawn: CardForm = Object.assign(withoutFields('Stripe’s card fields stand here.'), { trust: stripeTexts.trust });

/** In a preview nothing is typed, and nothing of Stripe is loaded. */
export const drawnCardOf = (processor: string): CardForm =>
  processor === 'stripe' ? drawn : processor === 'simulated' ? simulatedCard : noCard;

/** The card fields of a processor. @param from null while it is not known */
export function cardFormOf(from: CardProcessor | null, use: CardUse): CardForm {
  if (from === null) return notKnown;
  const { processor, publishableKey } = from;
  if (processor === 'stripe' && publishableKey !== null) return stripeCard(publishableKey, use);
  return processor === 'simulated' ? simulatedCard : noCard;
}
