import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import { immediateAccessText } from '@app/contracts/withdrawals';
import type { Html } from '../../src/html.ts';
import { cancelNotices, cancelPage } from '../../src/portal/cancel-page.ts';
import { bankPage, cardError, cardNotices, cardPage, checkingPage } from '../../src/portal/card-pages.ts';
import { emailError, linkNotices, linkPage, openPage, sentPage } from '../../src/portal/link-pages.ts';
import { purchasesPage } from '../../src/portal/purchases-page.ts';
import { receiptPage } from '../../src/portal/receipt-page.ts';
import type { Said } from '../../src/portal/subscription-notices.ts';
import { subscriptionPage } from '../../src/portal/subscription-page.ts';
import {
  confirmWithdrawalPage,
  noWithdrawalsPage,
  withdrawErrors,
  withdrawnPage,
  withdrawPage,
} from '../../src/portal/withdraw-pages.ts';
import {
  cardOf,
  chargeOf,
  ended,
  ending,
  openedOf,
  pastDue,
  paused,
  portalOrder,
  receipt,
  subscription,
  subscriptionOf,
} from './portal-samples.ts';
import { arabicName, longName } from './samples.ts';

const orderOf = (changes: Partial<typeof portalOrder>) => Object.assign({}, portalOrder, changes);
const receiptOf = (changes: Partial<typeof receipt>) => Object.assign({}, receipt, changes);

const toConfirm = subscriptionOf({ ...pastDue, failed_reason: 'confirmation_required' });
const awaiting = subscriptionOf({
  ...toConfirm,
  awaits_confirmation: true,
  charges: [chargeOf({ charged_at: '2026-11-24T11:58:00.000Z', status: 'processing' }), ...pastDue.charges],
});
const nothing = { subscriptions: [], orders: [], firstUrl: null, nextUrl: null };
const everything = {
  subscriptions: [subscription, ending, paused, ended, pastDue, toConfirm],
  orders: [
    portalOrder,
    orderOf({ refunded_cents: 2_000 }),
    orderOf({ status: 'refunded', refunded_cents: 14_565 }),
    orderOf({ status: 'authorized' }),
  ],
  firstUrl: null,
  nextUrl: '/p/atelier?before=ord_01jd2q5v8kfw9s3x6z7yabcdef',
};

const subscriptionState = (of: PortalSubscriptionWithHistory, said: Said | null = null, languages = 'en-US') =>
  subscriptionPage(openedOf({ subscription: of, said }, languages));

const ways: Readonly<Record<string, () => Html>> = {
  link: () => linkPage(openedOf({ email: '', notice: null })),
  'link-error': () => linkPage(openedOf({ email: 'ada', error: emailError, notice: null })),
  'link-old': () => linkPage(openedOf({ email: 'ada@example.com', notice: linkNotices.old })),
  'link-ended': () => linkPage(openedOf({ email: 'ada@example.com', notice: linkNotices.ended })),
  'link-signed-out': () => linkPage(openedOf({ email: '', notice: linkNotices.signed_out })),
  'link-unknown': () => linkPage(openedOf({ email: '', notice: linkNotices.unknown })),
  sent: () => sentPage(openedOf({ email: 'ada@example.com' })),
  'sent-long': () => sentPage(openedOf({ email: `${'a'.repeat(64)}@${'b'.repeat(60)}.example` })),
  'sent-unknown': () => sentPage(openedOf({ email: '' })),
  open: () => openPage(openedOf(null)),
};

const declared = { name: 'Ada Lovelace', bought: '7yabcdef', email: 'ada@example.com' };
const stated = {
  ...declared,
  statement: 'I withdraw from my contract with Ada’s Atelier about: 7yabcdef. Ada Lovelace',
};
const longStated = {
  name: longName,
  bought: longName,
  email: `${'a'.repeat(64)}@${'b'.repeat(60)}.example`,
  statement: `I withdraw from my contract with Ada’s Atelier about: ${longName}. ${longName}`,
};
const receivedAt = '2026-11-24T18:21:33.518Z';
const empty = { name: '', bought: '', email: '' };

const withdrawals: Readonly<Record<string, () => Html>> = {
  withdraw: () => withdrawPage(openedOf({ values: empty, errors: {} })),
  'withdraw-errors': () =>
    withdrawPage(openedOf({ values: { ...empty, bought: longName, email: 'ada' }, errors: withdrawErrors })),
  'withdraw-confirm': () => confirmWithdrawalPage(openedOf(stated)),
  'withdraw-confirm-long': () => confirmWithdrawalPage(openedOf(longStated)),
  'withdraw-received': () => withdrawnPage(openedOf({ ...stated, receivedAt })),
  'withdraw-received-long': () => withdrawnPage(openedOf({ ...longStated, receivedAt }, 'de-DE')),
  'withdraw-right-to-left': () =>
    confirmWithdrawalPage(openedOf({ ...stated, name: arabicName, bought: arabicName, statement: arabicName })),
  'withdraw-off': () => {
    const opened = openedOf(null);
    return noWithdrawalsPage({ ...opened, shop: { ...opened.shop, withdrawalDays: 0 } });
  },
};

const lists: Readonly<Record<string, () => Html>> = {
  purchases: () => purchasesPage(openedOf(everything)),
  'purchases-empty': () => purchasesPage(openedOf(nothing)),
  'purchases-one': () => purchasesPage(openedOf(Object.assign({}, nothing, { orders: [portalOrder] }))),
  'purchases-later': () =>
    purchasesPage(
      openedOf(Object.assign({}, nothing, { orders: [portalOrder], firstUrl: '/p/atelier', nextUrl: '/p/atelier' })),
    ),
  'purchases-test': () =>
    purchasesPage(
      openedOf(
        Object.assign({}, nothing, {
          subscriptions: [subscriptionOf({ test: true })],
          orders: [orderOf({ test: true, refunded_cents: 2_000 }), portalOrder],
        }),
      ),
    ),
  'purchases-long': () =>
    purchasesPage(
      openedOf(
        Object.assign({}, nothing, {
          subscriptions: [subscriptionOf({ product_name: longName, amount_cents: 123_456_789 })],
          orders: [orderOf({ product_name: longName, total_cents: 123_456_789, refunded_cents: 123_456_788 })],
        }),
        'de-DE',
      ),
    ),
  'purchases-right-to-left': () =>
    purchasesPage(
      openedOf(
        Object.assign({}, nothing, {
          subscriptions: [subscriptionOf({ product_name: arabicName, currency: 'kwd' })],
          orders: [orderOf({ product_name: arabicName, currency: 'jpy' })],
        }),
        'ar-KW',
      ),
    ),
  receipt: () => receiptPage(openedOf(receipt)),
  'receipt-refunds': () =>
    receiptPage(
      openedOf(
        receiptOf({
          refunded_cents: 3_500,
          refunds: [
            { amount_cents: 1_500, refunded_at: '2026-11-01T12:00:00.000Z' },
            { amount_cents: 2_000, refunded_at: '2026-11-02T12:00:00.000Z' },
          ],
        }),
      ),
    ),
  'receipt-refunded': () =>
    receiptPage(
      openedOf(
        receiptOf({
          status: 'refunded',
          refunded_cents: 14_565,
          refunds: [{ amount_cents: 14_565, refunded_at: '2026-11-01T12:00:00.000Z' }],
        }),
      ),
    ),
  'receipt-consent': () => receiptPage(openedOf(receiptOf({ immediate_access: immediateAccessText }))),
  'receipt-held': () => receiptPage(openedOf(receiptOf({ status: 'authorized', last_four: null }))),
  'receipt-test': () => receiptPage(openedOf(receiptOf({ test: true, customer_name: '', access_url: '' }))),
  'receipt-long': () =>
    receiptPage(
      openedOf(
        receiptOf({
          product_name: longName,
          items: [{ kind: 'main', label: longName, amount_cents: 123_456_789, access_url: '' }],
          total_cents: 123_456_789,
          customer_name: longName,
        }),
        'de-DE',
      ),
    ),
  'receipt-right-to-left': () =>
    receiptPage(
      openedOf(
        receiptOf({
          product_name: arabicName,
          items: [{ kind: 'main', label: arabicName, amount_cents: 14_565, access_url: '' }],
          customer_name: arabicName,
          currency: 'kwd',
        }),
        'ar-KW',
      ),
    ),
};

const subscriptions: Readonly<Record<string, () => Html>> = {
  active: () => subscriptionState(subscription),
  new: () => subscriptionState(subscriptionOf({ charges: [], last_four: null })),
  'past-due': () => subscriptionState(pastDue),
  'past-due-later': () =>
    subscriptionState(subscriptionOf({ ...pastDue, failed_reason: 'try_again_later', next_charge_at: null })),
  'to-confirm': () => subscriptionState(toConfirm),
  charging: () =>
    subscriptionState(
      subscriptionOf({ ...pastDue, charges: [chargeOf({ charged_at: pastDue.started_at, status: 'processing' })] }),
      'card',
    ),
  awaiting: () => subscriptionState(awaiting),
  'awaiting-of-card': () => subscriptionPage(openedOf({ subscription: awaiting, said: null }, 'en-US', true)),
  saved: () => subscriptionState(subscription, 'card'),
  paid: () => subscriptionState(subscription, 'paid'),
  failed: () => subscriptionState(subscription, 'failed'),
  confirm: () => subscriptionState(subscriptionOf({ card_change: { status: 'requires_action', url: '/bank' } })),
  checking: () => subscriptionState(subscriptionOf({ card_change: { status: 'processing', url: null } })),
  declined: () => subscriptionState(subscriptionOf({ card_change: { status: 'declined', url: null } })),
  ending: () => subscriptionState(ending, 'canceled'),
  kept: () => subscriptionState(subscription, 'kept'),
  paused: () => subscriptionState(paused),
  'paused-long': () => subscriptionState(subscriptionOf({ ...paused, current_period_end: '2026-09-23T12:00:00.000Z' })),
  ended: () => subscriptionState(ended),
  external: () =>
    subscriptionState(
      subscriptionOf({ collection: 'external', next_charge_at: null, last_four: null, charges: [], may_pause: false }),
    ),
  'not-allowed': () => subscriptionState(subscriptionOf({ may_cancel: false, may_pause: false })),
  test: () => subscriptionState(subscriptionOf({ test: true })),
  'of-card': () => subscriptionPage(openedOf({ subscription: pastDue, said: null }, 'en-US', true)),
  long: () =>
    subscriptionState(
      subscriptionOf({
        product_name: longName,
        amount_cents: 123_456_789,
        charges: [chargeOf({ amount_cents: 123_456_789, refunded_cents: 123_456_788, charged_at: ended.started_at })],
      }),
      null,
      'de-DE',
    ),
  'right-to-left': () =>
    subscriptionState(
      subscriptionOf({ product_name: arabicName, currency: 'kwd', billing_interval: 'year' }),
      null,
      'ar-KW',
    ),
};

const first = { nextUrl: '/p/atelier?check=1', checks: 0 };
const late = { nextUrl: '/p/atelier?check=21', checks: 20 };
const cards: Readonly<Record<string, () => Html>> = {
  card: () => cardPage(openedOf(cardOf(subscription))),
  'card-past-due': () => cardPage(openedOf(cardOf(pastDue))),
  'card-to-confirm': () => cardPage(openedOf(cardOf(toConfirm))),
  'card-due': () => cardPage(openedOf(cardOf(subscriptionOf({ next_charge_at: '2026-11-24T00:00:00.000Z' })))),
  'card-ending': () => cardPage(openedOf(cardOf(ending))),
  'card-paused': () => cardPage(openedOf(cardOf(paused))),
  'card-declined': () => cardPage(openedOf(cardOf(pastDue, { notice: cardNotices.card_declined }))),
  'card-payment-declined': () => cardPage(openedOf(cardOf(toConfirm, { notice: cardNotices.payment_declined }))),
  'card-error': () => cardPage(openedOf(cardOf(subscription, { error: cardError, chosen: '' }))),
  'card-busy': () => cardPage(openedOf(cardOf(subscription, { notice: cardNotices.too_many(120) }))),
  'card-long': () =>
    cardPage(
      openedOf(cardOf(subscriptionOf({ ...pastDue, product_name: longName, amount_cents: 123_456_789 })), 'de-DE'),
    ),
  'card-right-to-left': () =>
    cardPage(openedOf(cardOf(subscriptionOf({ product_name: arabicName, currency: 'kwd' })), 'ar-KW', true)),
  'card-bank': () => bankPage(openedOf({ ...cardOf(pastDue), waitsFor: 'card', confirming: { url: '/bank' } })),
  'card-bank-failed': () =>
    bankPage(
      openedOf({
        ...cardOf(subscription, { notice: cardNotices.failed }),
        waitsFor: 'card',
        confirming: { url: '/bank' },
      }),
    ),
  'card-bank-payment': () =>
    bankPage(openedOf({ ...cardOf(awaiting), waitsFor: 'payment', confirming: { url: '/bank' } })),
  'card-bank-payment-long': () =>
    bankPage(
      openedOf(
        {
          ...cardOf(subscriptionOf({ ...awaiting, product_name: longName, amount_cents: 123_456_789 })),
          waitsFor: 'payment',
          confirming: { url: '/bank' },
        },
        'de-DE',
        true,
      ),
    ),
  'card-checking': () => checkingPage(openedOf({ subscription, waitsFor: 'card', checks: first })),
  'card-checking-long': () => checkingPage(openedOf({ subscription, waitsFor: 'card', checks: late })),
  'card-checking-payment': () => checkingPage(openedOf({ subscription: pastDue, waitsFor: 'payment', checks: first })),
  'card-checking-payment-long': () =>
    checkingPage(openedOf({ subscription: pastDue, waitsFor: 'payment', checks: late })),
  cancel: () => cancelPage(openedOf({ subscription, notice: null })),
  'cancel-past-due': () => cancelPage(openedOf({ subscription: pastDue, notice: null })),
  'cancel-failed': () => cancelPage(openedOf({ subscription, notice: cancelNotices.failed })),
  'cancel-over': () =>
    cancelPage(
      openedOf({
        subscription: subscriptionOf({ ...paused, current_period_end: '2026-09-23T12:00:00.000Z' }),
        notice: null,
      }),
    ),
  'cancel-long': () =>
    cancelPage(
      openedOf({ subscription: subscriptionOf({ product_name: longName, test: true }), notice: null }, 'de-DE'),
    ),
};

const named = (prefix: string, states: Readonly<Record<string, () => Html>>) =>
  Object.entries(states).map(([name, page]) => [`${prefix}${name}`, page] as const);

/** Every page of a portal, and each of its states. */
export const portalStates: Readonly<Record<string, () => Html>> = Object.fromEntries([
  ...named('portal-', ways),
  ...named('portal-', withdrawals),
  ...named('portal-', lists),
  ...named('portal-subscription-', subscriptions),
  ...named('portal-', cards),
]);
