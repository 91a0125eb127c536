import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { button, linkButton } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { cardName } from '../../components/card-name.ts';
import { notice } from '../../components/notice.ts';
import { copyField } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { buyerPath } from '../frame/addresses.ts';
import { type FormState, form } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { aboutSubscription, subscriptionsPath, testSubscriptionsPath } from './parts.ts';
import { renewalsList } from './renewals-list.ts';
import { stateNotices } from './state-notices.ts';

const texts = {
  back: 'Subscriptions',
  testBack: 'Test subscriptions',
  renewals: 'Renewals',
  noRenewals: 'No renewal was charged yet. The first period was paid with the order.',
  what: 'Subscription',
  buyer: 'Buyer',
  order: 'Order',
  openOrder: 'The order that began it',
  began: 'Began',
  paidUntil: 'Paid until',
  periodEnd: 'This period ends',
  lastPeriod: 'Last period until',
  nextCharge: 'Next charge',
  ends: 'Ends',
  ended: 'Ended',
  card: 'Card',
  noCard: 'Renewals outside Funnelry',
  id: 'Subscription id',
  change: 'Change it',
  newCard: 'Replace the card',
  pause: 'Pause',
  pausing: 'Pausing…',
  pauseMeans: 'Renewals stop until it is resumed.',
  resume: 'Resume',
  resuming: 'Resuming…',
  resumeMeans: (amount: string) =>
    `Within the paid period it renews on its date. After it, a new period begins, and ${amount} is charged within a day.`,
  keep: 'Keep the subscription',
  keeping: 'Keeping…',
  cancel: 'Cancel the subscription',
} as const;

interface SubscriptionContent {
  readonly subscription: SubscriptionWithHistory;
  /** What the address says of the last click. */
  readonly did: string | null;
}

export function subscriptionPage(visit: Visit, content: SubscriptionContent, state: FormState): DashboardPage {
  const { subscription: of } = content;
  const { formats } = visit;
  return {
    title: of.customer_email,
    heading: html`<bdi>${of.customer_email}</bdi>`,
    back: of.test
      ? { href: testSubscriptionsPath, label: texts.testBack }
      : { href: subscriptionsPath, label: texts.back },
    about: aboutSubscription(of, formats),
    main: html`${state.problem !== null && notice('bad', state.problem)}${stateNotices(content, formats)}<div
class="two-columns">${renewals(of, formats)}<div class="stack">${of.status !== 'canceled' && changes(visit, of)}${factsCard(of, formats)}</div></div>`,
  };
}

const renewals = (of: SubscriptionWithHistory, formats: Formats): Html =>
  card(
    texts.renewals,
    of.payments.length === 0 ? html`<p class="quiet">${texts.noRenewals}</p>` : renewalsList(of, formats),
  );

function factsCard(of: SubscriptionWithHistory, formats: Formats): Html {
  const { customer_email: email } = of;
  const name = cardName(of);
  const all: [string, Html][] = [
    [texts.buyer, html`<a href="${buyerPath(email)}"><bdi>${email}</bdi></a>`],
    [texts.order, html`<a href="/app/orders/${of.order_id}">${texts.openOrder}</a>`],
    [texts.began, when(of.started_at, formats)],
  ];
  const isExternal = of.collection === 'external';
  // One that has ended may have got its money back.
  const until = of.status === 'canceled' ? texts.lastPeriod : isExternal ? texts.periodEnd : texts.paidUntil;
  all.push([until, when(of.current_period_end, formats)]);
  if (of.next_charge_at !== null) all.push([texts.nextCharge, when(of.next_charge_at, formats)]);
  if (of.cancel_at !== null) all.push([texts.ends, when(of.cancel_at, formats)]);
  if (of.canceled_at !== null) all.push([texts.ended, when(of.canceled_at, formats)]);
  if (isExternal) all.push([texts.card, html`${texts.noCard}`]);
  else if (name !== null) all.push([texts.card, html`${name}`]);
  return card(texts.what, html`${facts(all)}${copyField(texts.id, of.id, 'subscription-id')}`);
}

/** What the seller can do, and what each of it means. */
function changes(visit: Visit, of: SubscriptionWithHistory): Html {
  const path = `${subscriptionsPath}/${of.id}`;
  const amount = visit.formats.amount(of.amount_cents, of.currency);
  const at = (change: string, label: string, busyLabel: string, means?: string): Html =>
    form(visit, {
      action: path,
      content: html`<input type="hidden" name="do" value="${change}">${means !== undefined && html`<p class="small quiet">${means}</p>`}`,
      buttons: button({ label, busyLabel }),
    });
  const isEnding = of.cancel_at !== null;
  return card(
    texts.change,
    html`<p>${linkButton({ label: texts.newCard, href: `${path}/card` })}</p>
${isEnding && at('keep', texts.keep, texts.keeping)}
${!isEnding && of.status !== 'paused' && at('pause', texts.pause, texts.pausing, texts.pauseMeans)}
${of.status === 'paused' && at('resume', texts.resume, texts.resuming, texts.resumeMeans(amount))}
<p><a href="${path}/cancel">${texts.cancel}</a></p>`,
  );
}
