import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import type { CardForm } from '../checkout/cards.ts';
import { bankLink, type Confirming, confirmButton } from '../checkout/confirming.ts';
import { button, linkButton } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { cardName } from '../components/card-name.ts';
import { type Checks, checkAgain, isLong } from '../components/checks.ts';
import { notice } from '../components/notice.ts';
import { sayingDeclines } from '../decline-texts.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf } from './model.ts';
import { form, opened, subscriptionPath, wayBack } from './parts.ts';

const texts = {
  title: 'Use another card',
  confirmTitle: 'Confirm your card',
  confirms:
    'Your bank wants you to confirm the payment. Enter your card once more, and your bank asks you. Another card can be used too.',
  replaces: (card: string) => `${card} stays until the new one is saved.`,
  pastDue: (amount: string) => `${amount} is past due, and is charged to the new card at once.`,
  next: (amount: string, date: string) => `The new card is charged ${amount} on ${date}.`,
  soon: (amount: string) => `${amount} is due, and is charged to the new card within a day.`,
  andThen: {
    month: 'After that it is charged every month, until you cancel.',
    year: 'After that it is charged every year, until you cancel.',
  },
  paused: 'Nothing is charged until you resume the subscription.',
  ends: (date: string) => `Nothing more is charged: the subscription ends on ${date}.`,
  kept: 'Your card is saved, to charge the renewals until you cancel.',
  save: 'Save the card',
  saveAndPay: (amount: string) => `Save the card and pay ${amount}`,
  saving: 'Saving…',
  bank: 'Confirm the new card at your bank. Until you do, it is not charged, and the earlier one stays.',
  bankOfPayment: (amount: string) => `Confirm the payment of ${amount} at your bank. Nothing is charged until you do.`,
  saved: 'Your new card is saved.',
  other: 'Use another card instead',
  check: 'Check now',
} as const;

/** What the page waits for: that the card is saved, or that what is past due is charged to it. */
export type WaitsFor = 'card' | 'payment';

const bankTitles = {
  card: 'Your bank asks you to confirm',
  payment: 'Your bank asks you to confirm the payment',
} as const;
export const checkingTexts = {
  card: {
    title: 'Your new card is being checked',
    text: 'This page shows the outcome by itself. The earlier card stays until the new one is saved.',
    long: 'It takes longer than usual. Come back later: the earlier card stays until the new one is saved.',
  },
  payment: {
    title: 'Your payment is being checked',
    text: 'This page shows the outcome by itself. You are charged once at most, also if you close it.',
    long: 'It takes longer than usual. You are charged once at most. Come back to this page later.',
  },
} as const;

/** What the page says of a card that was not saved. */
export const cardNotices = {
  ...sayingDeclines(({ what, next }) => `${what} Nothing was charged, and the earlier card stays. ${next}`),
  card_declined: 'This card was declined. Nothing was charged, and the earlier card stays. Try another one.',
  payment_declined: 'The payment did not go through, and nothing was charged. Try again, or use another card.',
  too_many: (seconds: number) =>
    `Cards are not taken from here at the moment. Nothing was charged. Try again in ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
  failed: 'That did not work. Try again: what is past due is charged once at most.',
} as const;

export const cardError = 'This card cannot be used. Enter another one.';

export interface CardContent {
  readonly subscription: PortalSubscriptionWithHistory;
  readonly card: CardForm;
  /** What the form sent last. */
  readonly chosen: string;
  readonly error?: string | undefined;
  readonly notice: string | null;
}
export interface BankContent extends CardContent {
  readonly waitsFor: WaitsFor;
  readonly confirming: Confirming;
}
type CardPage = OpenedOf<CardContent>;

/** What ended is charged no more, and what the shop collects itself was never charged. */
export const hasCard = ({ collection, status }: PortalSubscriptionWithHistory): boolean =>
  collection === 'automatic' && status !== 'canceled';

/** A new card: when it will be charged, and how much, stands above its button. */
export function cardPage(page: CardPage): Html {
  const { subscription: of, notice: said } = page.content;
  const confirms = of.failed_reason === 'confirmation_required';
  const name = cardName(of);
  const stays = name !== null && html`<p>${texts.replaces(name)}</p>`;
  return around(
    page,
    html`<div class="stack tight">${backTo(page, of)}<h1>${confirms ? texts.confirmTitle : texts.title}</h1>${confirms ? html`<p>${texts.confirms}</p>` : stays}</div>
${said !== null && notice('bad', said)}
${cardForm(page)}`,
  );
}

export function bankPage(page: OpenedOf<BankContent>): Html {
  const { subscription: of, notice: said, waitsFor, confirming } = page.content;
  const amount = page.formats.amount(of.amount_cents, of.currency);
  const [request, then] =
    waitsFor === 'card' ? [texts.bank, whenCharged(page)] : [texts.bankOfPayment(amount), texts.saved];
  return around(
    page,
    html`<div class="stack tight">${backTo(page, of)}<h1>${bankTitles[waitsFor]}</h1><p>${request}</p><p class="quiet">${then}</p></div>
${said !== null && notice('bad', said)}
${bankLink(confirming)}
${form(page, cardPath(page), confirmButton(confirming))}
${fold(texts.other, cardForm(page))}`,
  );
}

/** It refreshes itself, ever slower, as the page of a payment does. */
export function checkingPage(
  page: OpenedOf<{
    readonly subscription: PortalSubscriptionWithHistory;
    readonly waitsFor: WaitsFor;
    readonly checks: Checks;
  }>,
): Html {
  const { subscription: of, waitsFor, checks } = page.content;
  const { title, text, long } = checkingTexts[waitsFor];
  return around(
    page,
    html`${checkAgain(checks, html`${backTo(page, of)}<h1>${title}</h1><p>${isLong(checks) ? long : text}</p>`)}
${linkButton({ label: texts.check, href: checks.nextUrl, isWide: true })}`,
  );
}

const around = (page: OpenedOf<{ readonly subscription: PortalSubscriptionWithHistory }>, main: Html): Html =>
  opened(page, main, { isTest: page.content.subscription.test, isNarrow: true });

const backTo = ({ path }: OpenedOf<unknown>, of: PortalSubscriptionWithHistory): Html =>
  wayBack(subscriptionPath(path, of.id), html`<bdi>${of.product_name}</bdi>`);

const cardPath = ({ path, content }: CardPage): string => `${subscriptionPath(path, content.subscription.id)}/card`;

function cardForm(page: CardPage): Html {
  const { subscription: of, card, chosen, error } = page.content;
  const amount = page.formats.amount(of.amount_cents, of.currency);
  const label = of.status === 'past_due' ? texts.saveAndPay(amount) : texts.save;
  return form(
    page,
    cardPath(page),
    html`${card.fields(chosen, error)}<p>${whenCharged(page)}</p><p class="quiet small">${texts.kept}</p>${button({
      label,
      busyLabel: texts.saving,
      name: 'do',
      value: 'save',
      kind: 'accent',
      isWide: true,
      isTall: true,
    })}`,
  );
}

function whenCharged({ content: { subscription: of }, formats, now }: CardPage): string {
  const amount = formats.amount(of.amount_cents, of.currency);
  const then = texts.andThen[of.billing_interval];
  if (of.status === 'past_due') return `${texts.pastDue(amount)} ${then}`;
  if (of.cancel_at !== null) return texts.ends(formats.date(of.cancel_at));
  if (of.status === 'paused' || of.next_charge_at === null) return texts.paused;
  const next = of.next_charge_at > now ? texts.next(amount, formats.date(of.next_charge_at)) : texts.soon(amount);
  return `${next} ${then}`;
}
