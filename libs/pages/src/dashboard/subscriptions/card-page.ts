import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { copyField } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { aboutSubscription, backToSubscription } from './parts.ts';

export const cardLabels = { paymentMethod: 'The card token' } as const;

const texts = {
  title: 'Replace the card',
  byBuyer: 'A link for the buyer',
  linkMeans:
    'The buyer opens it without a password, and gives another card. It leads to the card of this subscription alone.',
  pastDueLink: (amount: string) => `The ${amount} that is past due is charged to the new card at once.`,
  test: 'It is a test subscription: the link opens while test mode is on.',
  make: 'Make the link',
  making: 'Making the link…',
  link: 'Link',
  send: 'Send it to',
  until: 'It works until',
  once: 'It is shown this once.',
  byToken: 'A card that your own site took',
  token: 'Card token',
  tokenHint:
    'The payment processor’s token for the buyer’s new card. It is saved without a charge, and renewals go to it from then on.',
  pastDueToken: (amount: string) => `The next daily run charges the ${amount} that is past due to it.`,
  save: 'Save the card',
  saving: 'Saving…',
  ended: 'The subscription has ended: no card is charged for it any more.',
} as const;

export type CardLink = Body<'createPortalLink'>;

interface CardContent {
  readonly subscription: SubscriptionWithHistory;
  /** Once it is made. */
  readonly link: CardLink | null;
}

export function cardPage(visit: Visit, { subscription: of, link }: CardContent, state: FormState): DashboardPage {
  const page = { title: texts.title, back: backToSubscription(of), about: aboutSubscription(of, visit.formats) };
  if (of.status === 'canceled') return Object.assign(page, { main: notice('info', texts.ended) });
  const made = card(texts.byBuyer, link === null ? linkForm(visit, of) : madeLink(visit, of, link));
  const token = card(texts.byToken, tokenForm(visit, of, state));
  const said = state.problem !== null && notice('bad', state.problem);
  return Object.assign(page, { main: html`${said}${made}${token}`, isSecret: link !== null });
}

const pastDueAmount = ({ formats }: Visit, of: SubscriptionWithHistory): string | null =>
  of.status === 'past_due' ? formats.amount(of.amount_cents, of.currency) : null;

function linkForm(visit: Visit, of: SubscriptionWithHistory): Html {
  const amount = pastDueAmount(visit, of);
  const means = html`<p>${texts.linkMeans} ${amount !== null && texts.pastDueLink(amount)} ${of.test && texts.test}</p>`;
  return form(visit, {
    content: html`<input type="hidden" name="do" value="link">${means}`,
    buttons: button({ label: texts.make, busyLabel: texts.making, kind: 'accent' }),
  });
}

/** The address is in the first answer alone. */
function madeLink({ formats }: Visit, of: SubscriptionWithHistory, { url, expires_at, secret_notice }: CardLink): Html {
  if (url === undefined) return notice('info', secret_notice ?? texts.once);
  return html`${copyField(texts.link, url, 'card-link')}<p>${texts.send} <bdi>${of.customer_email}</bdi>. ${texts.until} ${when(expires_at, formats)}. ${texts.once}</p>`;
}

function tokenForm(visit: Visit, of: SubscriptionWithHistory, state: FormState): Html {
  const amount = pastDueAmount(visit, of);
  const input = field({
    name: 'paymentMethod',
    label: texts.token,
    hint: texts.tokenHint,
    value: typedIn(state, 'paymentMethod'),
    error: state.errors.paymentMethod,
    autocomplete: 'off',
    isRequired: true,
    maxLength: 255,
  });
  return form(visit, {
    content: html`<input type="hidden" name="do" value="token">${input}${amount !== null && html`<p class="small quiet">${texts.pastDueToken(amount)}</p>`}`,
    buttons: button({ label: texts.save, busyLabel: texts.saving }),
  });
}
