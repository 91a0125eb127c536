import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { emptyState, tabs } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { webhooksSent } from '../frame/webhooks-sent.ts';
import { type Affiliate, aboutAffiliate, pathOf, type Statement } from './parts.ts';

export const payoutTexts = {
  changed:
    'What is owed has changed since you opened this page, and this time nothing was recorded. Below is what it is now.',
} as const;

const texts = {
  title: 'Record a payout',
  ways: 'What to pay',
  due: 'What is due',
  withPending: 'Pending commissions too',
  noMoney:
    'It moves no money: it marks the commissions as paid. Pay the affiliate where you pay people, and record it here.',
  pendingMeans:
    'A pending commission waits until its sale can hardly be refunded. One that is paid before is taken back by a refund.',
  dueNow: 'Due',
  pending: 'Pending',
  nothing: 'Nothing is due. A commission becomes due some days after its sale.',
  commissions: 'See the commissions',
  record: (amount: string) => `Record the payout of ${amount} to`,
  recording: 'Recording…',
} as const;

export interface PayoutContent {
  readonly affiliate: Affiliate;
  readonly balances: Statement['balances'];
  readonly includesPending: boolean;
}

/** What a payout of each currency would pay. Clawbacks may be more than what was earned. */
export const payableOf = ({ balances, includesPending }: PayoutContent) =>
  balances
    .map(({ currency, due_cents, pending_cents }) => ({
      currency,
      cents: due_cents + (includesPending ? pending_cents : 0),
    }))
    .filter(({ cents }) => cents > 0);

export function payoutPage(visit: Visit, content: PayoutContent, state: FormState): DashboardPage {
  const { affiliate, includesPending } = content;
  const path = `${pathOf(affiliate.code)}/payout`;
  const payable = payableOf(content);
  const ways = tabs(texts.ways, [
    { label: texts.due, href: path, isOpen: !includesPending },
    { label: texts.withPending, href: `${path}?pending=true`, isOpen: includesPending },
  ]);
  const link = html`<p><a href="${pathOf(affiliate.code)}/commissions">${texts.commissions}</a></p>`;
  const forms =
    payable.length === 0
      ? emptyState(texts.nothing, link)
      : html`${payable.map((each) => payoutForm(visit, content, each))}${link}`;
  return {
    title: texts.title,
    back: { href: pathOf(affiliate.code), label: affiliate.name },
    about: aboutAffiliate(affiliate),
    main: html`${ways}${state.problem !== null && notice('bad', state.problem)}${forms}`,
  };
}

function payoutForm(
  visit: Visit,
  { affiliate, balances, includesPending }: PayoutContent,
  { currency, cents }: ReturnType<typeof payableOf>[number],
): Html {
  const balance = balances.find((each) => each.currency === currency);
  const amount = (of: number) => visit.formats.amount(of, currency);
  const parts: [string, Html][] = [[texts.dueNow, money(amount(balance?.due_cents ?? 0))]];
  if (includesPending) parts.push([texts.pending, money(amount(balance?.pending_cents ?? 0))]);
  const hidden = html`<input type="hidden" name="currency" value="${currency}"><input type="hidden" name="cents" value="${cents}">`;
  const means = html`<p>${texts.noMoney} ${includesPending && texts.pendingMeans}</p>${webhooksSent(html`<code>affiliate.paid</code>`)}`;
  return form(visit, {
    content: html`${hidden}${card(amount(cents), html`${facts(parts)}${means}`)}`,
    buttons: button({
      label: html`<span>${texts.record(amount(cents))} <bdi>${affiliate.name}</bdi></span>`,
      busyLabel: texts.recording,
      kind: 'accent',
    }),
  });
}
