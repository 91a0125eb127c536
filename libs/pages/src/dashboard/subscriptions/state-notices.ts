import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { when } from '../frame/times.ts';
import { subscriptionsPath } from './parts.ts';

const texts = {
  failed: (amount: string) => `The renewal of ${amount} failed.`,
  nextAttempt: 'Next try:',
  noAttempt: 'It is not tried again by itself.',
  attempts: (failed: number) => `${failed} of 4 tries used; after the fourth the subscription ends.`,
  help: 'Send the buyer a link for another card',
  underWay: (amount: string) =>
    `${amount} is being charged. The payment processor has not answered yet; this page shows it when it has.`,
  ending: 'It was canceled, and ends',
  endingMeans: 'Until then it stays as it is, and nothing more is charged.',
  paused: 'It is paused, and nothing is charged.',
  external: 'You collect its renewals yourself: the platform charges nothing. With a card it renews by itself.',
  confirm: 'The buyer’s bank wants a new card confirmed. Until that is done, the earlier one stays. The buyer confirms',
  inPortal: 'in the portal.',
  at: 'at',
  checking: 'A new card is being checked. Until that is done, the earlier one stays.',
  declined: 'A new card was declined. The earlier one stays.',
} as const;

const did = {
  pause: 'The subscription is paused.',
  pause_late: 'The subscription is paused. A charge was under way already, and may still take the money.',
  resume: 'The subscription goes on.',
  resume_late: 'The subscription goes on.',
  keep: 'The subscription is kept: it renews on its date.',
  keep_late: 'The subscription is kept: it renews on its date.',
  cancel: 'The subscription is canceled.',
  cancel_late: 'The subscription is canceled. A charge was under way already, and may still take the money.',
  card: 'The new card is saved.',
} as const;
type Did = keyof typeof did;
const isDid = (text: string | null): text is Did => text !== null && Object.hasOwn(did, text);

interface SubscriptionState {
  readonly subscription: SubscriptionWithHistory;
  readonly did: string | null;
}

/** What the last click did, and what the seller has to know of how it stands. */
export function stateNotices({ subscription: of, did: done }: SubscriptionState, formats: Formats): Html {
  const isSaid = isDid(done) && isTrueOf(done, of);
  return html`${isSaid && html`<div role="status">${notice('good', did[done])}</div>`}${ofCard(of)}${ofStatus(of, formats)}`;
}

/** Anyone can send a link with such an address, so the subscription has to agree. */
function isTrueOf(done: Did, of: SubscriptionWithHistory): boolean {
  const isCanceled = of.status === 'canceled' || of.cancel_at !== null;
  switch (done) {
    case 'pause':
    case 'pause_late':
      return of.status === 'paused';
    case 'resume':
    case 'resume_late':
      return of.status === 'active' || of.status === 'past_due';
    case 'card':
      return of.card_change === null;
    case 'keep':
    case 'keep_late':
      return !isCanceled;
    default:
      return isCanceled;
  }
}

function ofCard({ card_change: card }: SubscriptionWithHistory): Html {
  switch (card?.status) {
    case 'requires_action':
      return notice(
        'warn',
        html`${texts.confirm} ${card.url === null ? texts.inPortal : html`${texts.at} <a href="${card.url}">${card.url}</a>`}`,
      );
    case 'processing':
      return notice('info', texts.checking);
    case 'declined':
      return notice('warn', texts.declined);
    default:
      return html``;
  }
}

function ofStatus(of: SubscriptionWithHistory, formats: Formats): Html {
  const amount = formats.amount(of.amount_cents, of.currency);
  const [newest] = of.payments;
  if (newest !== undefined && newest.step === 'renewal' && !['succeeded', 'declined'].includes(newest.status))
    return notice('info', texts.underWay(amount));
  if (of.status === 'past_due') return pastDue(of, amount, formats);
  if (of.status === 'paused') return notice('info', texts.paused);
  if (of.cancel_at !== null)
    return notice('info', html`${texts.ending} ${when(of.cancel_at, formats)}. ${texts.endingMeans}`);
  return of.collection === 'external' && of.status === 'active' ? notice('info', texts.external) : html``;
}

/** Without its first sentence, which says what was not charged to which card: the notice has begun with that. */
export const reasonIn = (explanation: string): string => explanation.replace(/^.*? not charged .*?\. (?=\S)/, '');

/** The one that the notice of a subscription past due is about. */
export const latestFailure = ({ payments }: SubscriptionWithHistory) =>
  payments.find(({ step, status }) => step === 'renewal' && status === 'declined');

/** Why it failed, when it is tried next, and how to help. */
function pastDue(of: SubscriptionWithHistory, amount: string, formats: Formats): Html {
  const failed = latestFailure(of);
  const why = `${texts.failed(amount)}${failed?.explanation == null ? '' : ` ${reasonIn(failed.explanation)}`}`;
  const next =
    of.next_charge_at === null ? texts.noAttempt : html`${texts.nextAttempt} ${when(of.next_charge_at, formats)}.`;
  const attempts = of.failed_tries > 0 && texts.attempts(of.failed_tries);
  const help = html`<p><a href="${subscriptionsPath}/${of.id}/card">${texts.help}</a></p>`;
  return notice('bad', html`${why} ${next} ${attempts}`, help);
}
