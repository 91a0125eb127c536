import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import { mailTo } from '../checkout/parts.ts';
import { button, linkButton } from '../components/button.ts';
import { card, facts } from '../components/card.ts';
import { cardName } from '../components/card-name.ts';
import { money } from '../components/lines.ts';
import { badge } from '../components/notice.ts';
import { rows } from '../components/rows.ts';
import { type Html, html } from '../html.ts';
import { mayBeCanceled } from './cancel-page.ts';
import { hasCard } from './card-pages.ts';
import type { OpenedOf } from './model.ts';
import { day, form, opened, orderPath, price, statusBadge, subscriptionPath, wayBack } from './parts.ts';
import { type SubscriptionContent, stateNotices } from './subscription-notices.ts';

const texts = {
  back: 'Your purchases',
  title: 'Subscription',
  price: 'Price',
  next: 'Next charge',
  nextAttempt: 'Next attempt',
  on: 'on',
  ends: 'Ends',
  ended: 'Ended',
  paidUntil: 'Paid until',
  started: 'Started',
  paidWith: 'Paid with',
  collected: 'Collected by',
  newCard: 'Use another card',
  confirmCard: 'Confirm your card',
  confirmPayment: 'Confirm the payment',
  keep: 'Keep the subscription',
  resume: 'Resume',
  pause: 'Pause',
  cancel: 'Cancel the subscription',
  busy: 'One moment…',
  charges: 'Charges',
  firstPayment: 'Receipt of the first payment',
  toCancel: (name: string) => `To cancel it, write to ${name}:`,
  more: 'This link is for the card alone. For receipts and everything else,',
  link: 'get a link to all your purchases',
} as const;

type SubscriptionPage = OpenedOf<SubscriptionContent>;

/** One subscription: how it stands, what can be done, and what was charged. */
export function subscriptionPage(page: SubscriptionPage): Html {
  const { content, path, visitor, formats } = page;
  const { subscription: of } = content;
  return opened(
    page,
    html`<div class="stack tight">${!visitor.isOfCard && wayBack(path, texts.back)}<div class="headed"><h1><bdi>${of.product_name}</bdi></h1>${statusBadge(of)}</div>
<p class="quiet">${price(of, formats)}</p></div>
${stateNotices(page)}
${actions(page)}
${card(texts.title, subscriptionFacts(page))}
${charges(page)}
${ending(page)}`,
    { isTest: of.test },
  );
}

function subscriptionFacts({ content: { subscription: of }, formats }: SubscriptionPage): Html {
  const name = cardName(of);
  const all: [string, string | Html][] = [[texts.price, price(of, formats)]];
  const amount = money(formats.amount(of.amount_cents, of.currency));
  if (of.next_charge_at !== null) {
    const name = of.status === 'past_due' ? texts.nextAttempt : texts.next;
    all.push([name, html`${amount} ${texts.on} ${day(of.next_charge_at, formats)}`]);
  }
  if (of.cancel_at !== null) all.push([texts.ends, day(of.cancel_at, formats)]);
  else if (of.status === 'paused') all.push([texts.paidUntil, day(of.current_period_end, formats)]);
  if (of.canceled_at !== null) all.push([texts.ended, day(of.canceled_at, formats)]);
  all.push([texts.started, day(of.started_at, formats)]);
  if (of.collection === 'external') all.push([texts.collected, html`<bdi>${of.seller.name}</bdi>`]);
  else if (name !== null) all.push([texts.paidWith, name]);
  return facts(all);
}

/** What the buyer most likely came for is the accent; where nothing presses, no button is. */
function actions(page: SubscriptionPage): Html {
  const { subscription: of } = page.content;
  const here = subscriptionPath(page.path, of.id);
  const act = (label: string, value: string, kind?: 'accent') =>
    form(page, here, button({ label, busyLabel: texts.busy, name: 'do', value, kind, isWide: true }));
  const all = [
    of.cancel_at !== null && of.status !== 'canceled' && !page.visitor.isOfCard && act(texts.keep, 'keep', 'accent'),
    of.may_resume && !page.visitor.isOfCard && act(texts.resume, 'resume', 'accent'),
    hasCard(of) &&
      linkButton({
        label: cardLabel(of),
        href: `${here}/card`,
        kind: of.status === 'past_due' || of.awaits_confirmation ? 'accent' : 'plain',
        isWide: true,
      }),
    of.may_pause && !page.visitor.isOfCard && act(texts.pause, 'pause'),
  ].filter((action) => action !== false);
  return all.length === 0 ? html`` : html`<div class="actions">${all}</div>`;
}

function cardLabel(of: PortalSubscriptionWithHistory): string {
  if (of.awaits_confirmation) return texts.confirmPayment;
  return of.failed_reason === 'confirmation_required' ? texts.confirmCard : texts.newCard;
}

const chargeBadges = {
  paid: badge('good', 'Paid'),
  declined: badge('bad', 'Declined'),
  processing: badge('info', 'Being charged'),
  awaiting: badge('warn', 'To be confirmed'),
} as const;

function charges({ content: { subscription: of }, formats, path, visitor }: SubscriptionPage): Html {
  const list = of.charges.map((charge) => {
    const refunded =
      charge.refunded_cents === 0
        ? []
        : [badge('none', `${formats.amount(charge.refunded_cents, of.currency)} refunded`)];
    const isAwaiting = of.awaits_confirmation && charge.status === 'processing';
    return {
      title: day(charge.charged_at, formats),
      detail: cardName(charge) ?? '',
      end: money(formats.amount(charge.amount_cents, of.currency)),
      badges: [...refunded, chargeBadges[isAwaiting ? 'awaiting' : charge.status]],
    };
  });
  const first = html`<p class="small"><a href="${orderPath(path, of.order_id)}">${texts.firstPayment}</a></p>`;
  if (list.length === 0) return visitor.isOfCard ? html`` : first;
  return html`<section class="stack"><h2>${texts.charges}</h2>${rows(list)}${!visitor.isOfCard && first}</section>`;
}

/** Ending it is as easy to find as everything else, and puts no pressure on the buyer. */
function ending({ content: { subscription: of }, path, visitor }: SubscriptionPage): Html {
  if (visitor.isOfCard) return html`<p class="quiet small">${texts.more} <a href="${path}">${texts.link}</a>.</p>`;
  if (of.status === 'canceled') return html``;
  if (mayBeCanceled(of))
    return html`<p class="small"><a href="${subscriptionPath(path, of.id)}/cancel">${texts.cancel}</a></p>`;
  if (of.may_cancel) return html``;
  return html`<p class="quiet small">${texts.toCancel(of.seller.name)} ${mailTo({ supportEmail: of.seller.support_email })}</p>`;
}
