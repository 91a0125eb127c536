import { bankPage } from '../../src/checkout/bank-page.ts';
import { type CardUse, cardFormOf } from '../../src/checkout/cards.ts';
import type { Confirming } from '../../src/checkout/confirming.ts';
import { orderNotices } from '../../src/checkout/order-page.texts.ts';
import { type OrderContent, orderPage } from '../../src/checkout/order-page.ts';
import type { Html } from '../../src/html.ts';
import { bankPage as cardBankPage, cardPage, type WaitsFor } from '../../src/portal/card-pages.ts';
import { cardOf, openedOf, pastDue } from './portal-samples.ts';
import { order, purchaseOf, samplePageOf } from './samples.ts';

const use: CardUse = { name: 'card-fields', mode: 'payment', amountCents: 14_900, currency: 'usd', savesCard: false };
const fieldsOf = (changes: Partial<CardUse> = {}) =>
  cardFormOf({ processor: 'stripe', publishableKey: 'pk_live_gallery' }, Object.assign({}, use, changes));
const byScript: Confirming = { clientSecret: 'pi_gallery_secret_gallery', publishableKey: 'pk_live_gallery' };

const orderState = (changes: Partial<OrderContent>, purchase = purchaseOf({})): Html =>
  orderPage(samplePageOf(Object.assign({}, order, { card: fieldsOf() }, changes), purchase));
const bankState = (confirming: Confirming): Html =>
  bankPage(samplePageOf({ confirming, card: fieldsOf(), chosenCard: '', quote: 'quote', notice: null }));
const setup = { card: fieldsOf({ mode: 'setup', savesCard: true }) };
const portalBankState = (waitsFor: WaitsFor, confirming: Confirming): Html =>
  cardBankPage(openedOf(Object.assign(cardOf(pastDue), setup, { waitsFor, confirming })));

const renewed = purchaseOf({ billingInterval: 'month' });
const cancelable = Object.assign({}, renewed, { shop: Object.assign({}, renewed.shop, { portalCancel: true }) });

/** Pages of a seller with a Stripe account: their script shows Stripe's fields in place of what stands here. */
export const stripeStates: Readonly<Record<string, () => Html>> = {
  'stripe-loading': () => orderState({}),
  'stripe-not-loaded': () => orderState({ card: fieldsOf({ state: 'failed' }) }),
  'stripe-no-card': () => orderState({ errors: { card: fieldsOf().missing } }),
  'stripe-declined': () => orderState({ notice: { meaning: 'bad', text: orderNotices.card_declined } }),
  'stripe-other-currency': () => orderState({ card: fieldsOf({ currency: 'iqd' }) }, purchaseOf({}, 14_900, 'iqd')),
  'stripe-saved-for-renewals': () => orderState({ savesCard: true }, cancelable),
  'stripe-saved-for-offer': () => orderState({ savesCard: true }),
  'stripe-bank': () => bankState({ url: '/bank' }),
  'stripe-bank-by-script': () => bankState(byScript),
  'stripe-bank-not-now': () => bankState(null),
  'stripe-portal-card': () => cardPage(openedOf(Object.assign(cardOf(pastDue), setup))),
  'stripe-portal-bank': () => portalBankState('card', byScript),
  'stripe-portal-bank-payment': () => portalBankState('payment', byScript),
  'stripe-portal-bank-payment-not-now': () => portalBankState('payment', null),
};
