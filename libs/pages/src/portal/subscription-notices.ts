import type { DeclineReason } from '@app/contracts/payments';
import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import { notice } from '../components/notice.ts';
import { declineTexts } from '../decline-texts.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf } from './model.ts';
import { subscriptionPath } from './parts.ts';

const texts = {
  declined: (lastFour: string | null) =>
    `${lastFour === null ? 'Your card' : `Your card ending in ${lastFour}`} was declined.`,
  notCharged: 'The last payment did not go through.',
  toConfirmPayment: (amount: string) =>
    `Your bank wants you to confirm the last payment. ${amount} is charged once you have given your card again and confirmed it.`,
  nextAttempt: (amount: string, date: string) =>
    `${amount} is charged again on ${date}. Another card is charged at once.`,
  noAttempt: (amount: string) => `${amount} is past due. Another card is charged at once.`,
  endsOn: (date: string) => `It ends on ${date}. Until then it stays as it is, and nothing more is charged.`,
  pausedUntil: (amount: string, date: string) =>
    `It is paused, and nothing is charged. If you resume it by ${date}, the next charge is ${amount} on that day.`,
  paused: (amount: string) =>
    `It is paused, and nothing is charged. Resuming it begins a new period: ${amount} is charged within a day.`,
  pausedExternal: 'It is paused.',
  pausedByShop: 'It is paused, and nothing is charged. Only the shop can resume it: write to it.',
  ended: (date: string) => `It ended on ${date}. Nothing more is charged.`,
  confirm: 'Your bank asks you to confirm the new card. Until you do, the earlier one stays.',
  toConfirm: 'Confirm the card',
  checking: 'Your new card is being checked. Until that is done, the earlier one stays.',
  cardDeclined: 'The new card was declined. The earlier one stays.',
  awaits: (amount: string) =>
    `Your bank waits for your confirmation of the payment. ${amount} is charged once you have confirmed it.`,
  charging: (amount: string) => `${amount} is being charged. It takes a moment until it is known how that ended.`,
} as const;

const said = {
  card: 'Your new card is saved.',
  paid: 'The payment went through.',
  kept: 'You keep the subscription.',
  paused: 'The subscription is paused.',
  resumed: 'The subscription goes on.',
  canceled: 'The subscription is canceled.',
  paused_late: 'The subscription is paused. A charge was under way already, and may still be made.',
  canceled_late: 'The subscription is canceled. A charge was under way already, and may still be made.',
  failed: 'That did not work, and nothing was changed. Try again.',
  busy: 'Many requests come from your network, and nothing was changed. Try again in a minute.',
  not_allowed: 'The shop does not let buyers do that here. Write to it.',
} as const;
export type Said = keyof typeof said;
const isSaid = (text: string): text is Said => Object.hasOwn(said, text);

type SubscriptionState = Pick<PortalSubscriptionWithHistory, 'status' | 'cancel_at' | 'card_change' | 'charges'>;

const isCanceled = ({ status, cancel_at }: SubscriptionState): boolean => status === 'canceled' || cancel_at !== null;
const isPaused = ({ status }: SubscriptionState): boolean => status === 'paused';

/** Where a sentence is about a state, it is said only of a subscription in that state. */
const isTrueOf: { readonly [Each in Said]?: (subscription: SubscriptionState) => boolean } = {
  card: ({ card_change }) => card_change === null,
  paid: ({ card_change, charges }) => card_change === null && charges[0]?.status === 'paid',
  kept: (subscription) => !isCanceled(subscription),
  paused: isPaused,
  paused_late: isPaused,
  resumed: ({ status }) => status === 'active' || status === 'past_due',
  canceled: isCanceled,
  canceled_late: isCanceled,
};

/** What an address says of the last click: anyone can send a link with such an address, so the subscription has to agree. */
export function saidOf(text: string | null, subscription: SubscriptionState): Said | null {
  if (text === null || !isSaid(text)) return null;
  return (isTrueOf[text]?.(subscription) ?? true) ? text : null;
}

export interface SubscriptionContent {
  readonly subscription: PortalSubscriptionWithHistory;
  /** What the last click did. */
  readonly said: Said | null;
}

/** What the last click did, and what the buyer has to know: at most one of each. */
export function stateNotices(page: OpenedOf<SubscriptionContent>): Html {
  const { said: done } = page.content;
  const isRefused = done === 'failed' || done === 'busy' || done === 'not_allowed';
  return html`${done !== null && html`<div role="status">${notice(isRefused ? 'bad' : 'good', said[done])}</div>`}${ofCard(page)}${ofStatus(page)}`;
}

function ofCard({ content: { subscription: of }, path }: OpenedOf<SubscriptionContent>): Html {
  const link = html`<p><a href="${subscriptionPath(path, of.id)}/card">${texts.toConfirm}</a></p>`;
  switch (of.card_change?.status) {
    case 'requires_action':
      return notice('warn', texts.confirm, link);
    case 'processing':
      return notice('info', texts.checking);
    case 'declined':
      return notice('warn', texts.cardDeclined);
    default:
      return html``;
  }
}

function ofStatus({ content: { subscription: of }, formats, now }: OpenedOf<SubscriptionContent>): Html {
  const amount = formats.amount(of.amount_cents, of.currency);
  if (of.awaits_confirmation) return notice('warn', texts.awaits(amount));
  if (of.charges[0]?.status === 'processing') return notice('info', texts.charging(amount));
  switch (of.status) {
    case 'past_due':
      return notice('bad', pastDue(of, amount, formats));
    case 'paused': {
      if (of.collection === 'external') return notice('info', texts.pausedExternal);
      if (!of.may_resume) return notice('info', texts.pausedByShop);
      const isPaid = of.current_period_end > now;
      return notice(
        'info',
        isPaid ? texts.pausedUntil(amount, formats.date(of.current_period_end)) : texts.paused(amount),
      );
    }
    case 'canceled':
      return of.canceled_at === null ? html`` : notice('info', texts.ended(formats.date(of.canceled_at)));
    default:
      return of.cancel_at === null ? html`` : notice('info', texts.endsOn(formats.date(of.cancel_at)));
  }
}

function failedText(reason: DeclineReason, lastFour: string | null): string {
  if (reason === 'card_declined') return texts.declined(lastFour);
  return reason === 'try_again_later' ? texts.notCharged : declineTexts[reason].what;
}

function pastDue(
  { failed_reason, last_four, next_charge_at }: PortalSubscriptionWithHistory,
  amount: string,
  formats: Formats,
): string {
  if (failed_reason === 'confirmation_required') return texts.toConfirmPayment(amount);
  const failed = failedText(failed_reason ?? 'card_declined', last_four);
  const next =
    next_charge_at === null ? texts.noAttempt(amount) : texts.nextAttempt(amount, formats.date(next_charge_at));
  return `${failed} ${next}`;
}
