import type { OrderWithPayments } from '@app/contracts/orders';
import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { lines } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { tabs } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import { productOf } from '../frame/order-table.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { webhooksSent } from '../frame/webhooks-sent.ts';
import { ordersPath } from './parts.ts';

export const refundLabels = {
  title: 'Refund',
  amount: 'The amount',
  changed:
    'What can be refunded has changed since you opened this page, and this time nothing was refunded. Below is what goes back now.',
  refunding: 'Refunding…',
} as const;

const texts = {
  ways: 'What to refund',
  order: 'The order',
  withRenewals: 'The order and its renewals',
  payment: 'One payment',
  goesBack: 'What goes back',
  charge: (date: string) => `Charge of ${date}`,
  laterCharge: 'Charge',
  renewal: 'Renewal',
  total: 'Refund',
  also: 'What else happens',
  recorded: (amount: string) =>
    `The platform took no money for this order: your own code recorded it. Give the ${amount} back where you took it.`,
  test: 'It was a test purchase: no money moves.',
  ends: 'The subscription ends, and renews no more.',
  renewalsStay: 'Its renewals are not refunded.',
  commissionOf: 'The commission of',
  commission: (amount: string) => `(${amount}) is taken back, or owed to the next payout.`,
  getsEmail: 'gets the email',
  youGetEmail: 'You get the email',
  button: (amount: string) => `Refund ${amount} to`,
  record: (amount: string) => `Record the refund of ${amount} to`,
  held: 'The buyer’s card is only held: nothing was charged yet that could go back. Release the hold to end the order without a charge.',
  ended: 'The order ended unpaid: nothing was charged that could go back.',
  waits: 'A payment of this order has no outcome yet. Once it has, the order can be refunded: load the page again.',
  nothingLeft: 'All of it went back before: nothing is left to refund.',
} as const;

export type Preview = Body<'previewRefund'>;
type Automation = Body<'listAutomations'>['data'][number];

export interface RefundContent {
  readonly order: OrderWithPayments;
  readonly preview: Preview;
  /** The id of the one to refund; empty while it is not chosen, null for the whole order. */
  readonly payment: string | null;
  readonly renewals: boolean;
  /** As it was typed; null for the whole payment. */
  readonly amount: string | null;
  /** Of the account; empty where it is not about one payment. */
  readonly automations: readonly Automation[];
}

/** What a refund of the order gives back now. */
export function refundsOf({ charges }: Preview): { readonly charges: Preview['charges']; readonly cents: number } {
  const given = charges.filter(({ refundCents }) => refundCents > 0);
  return { charges: given, cents: given.reduce((sum, { refundCents }) => sum + refundCents, 0) };
}

export function refundPage(visit: Visit, content: RefundContent, state: FormState): DashboardPage {
  const { order, preview } = content;
  const { cents } = refundsOf(preview);
  const why = hindrance(content, cents);
  const hidden = html`<input type="hidden" name="cents" value="${cents}">`;
  const main =
    why === null
      ? form(visit, {
          state,
          content: html`${hidden}${goesBack(content, visit.formats)}${consequences(content, visit.formats)}`,
          buttons: refundButton(order, cents, preview.charges.length === 0, visit.formats),
        })
      : html`${state.problem !== null && notice('bad', state.problem)}${notice('info', why)}`;
  return aroundRefund(content, main);
}

/** What is around every refund of the order: where it leads back to, and the ways to refund it. */
export function aroundRefund(content: RefundContent, main: Html): DashboardPage {
  const { order, preview, payment, renewals } = content;
  const path = `${ordersPath}/${order.id}/refund`;
  const ways = [
    { label: texts.order, href: path, isOpen: payment === null && !renewals },
    { label: texts.withRenewals, href: `${path}?renewals=true`, isOpen: payment === null && renewals },
    { label: texts.payment, href: `${path}?payment=`, isOpen: payment !== null },
  ];
  const hasRenewals = preview.charges.some(({ renewal }) => renewal);
  const offered = ways.filter(({ label }) =>
    label === texts.withRenewals ? hasRenewals || renewals : label === texts.order || preview.charges.length > 0,
  );
  return {
    title: refundLabels.title,
    back: { href: `${ordersPath}/${order.id}`, label: order.customer_email },
    about: html`<p class="quiet"><bdi>${productOf(order)}</bdi></p>`,
    main: html`${offered.length > 1 && tabs(texts.ways, offered)}${main}`,
  };
}

function hindrance({ order, preview, renewals }: RefundContent, cents: number): string | null {
  if (order.status === 'authorized') return texts.held;
  if (order.status === 'expired') return texts.ended;
  if (!preview.possible) return texts.waits;
  const isDone = order.status === 'refunded' && (cents === 0 || !renewals);
  return isDone ? texts.nothingLeft : null;
}

/** @param isRecorded no money moves by it */
function refundButton(order: OrderWithPayments, cents: number, isRecorded: boolean, formats: Formats): Html {
  const amount = formats.amount(isRecorded ? order.total_cents - order.refunded_cents : cents, order.currency);
  const words = isRecorded ? texts.record(amount) : texts.button(amount);
  return moneyButton(words, order.customer_email);
}

/** It says what it does, for how much and to whom. */
export const moneyButton = (words: string, email: string): Html =>
  button({ label: html`<span>${words} <bdi>${email}</bdi></span>`, busyLabel: refundLabels.refunding, kind: 'danger' });

function goesBack({ order, preview }: RefundContent, formats: Formats): Html {
  const amount = (cents: number) => formats.amount(cents, order.currency);
  if (preview.charges.length === 0) {
    const text = order.test ? texts.test : texts.recorded(amount(order.total_cents - order.refunded_cents));
    return notice('info', text);
  }
  const { charges, cents } = refundsOf(preview);
  const all = charges.map((charge) => ({
    label: chargeLabel(charge, order, formats),
    amount: amount(charge.refundCents),
  }));
  const total = { label: texts.total, amount: amount(cents) };
  return html`${order.test && notice('info', texts.test)}${card(texts.goesBack, lines(texts.goesBack, all, total))}`;
}

/** What a charge is called: its payment is among the order's own, or it was for a renewal. */
export function chargeLabel(
  { paymentId, renewal }: Preview['charges'][number],
  { payments }: Pick<OrderWithPayments, 'payments'>,
  formats: Formats,
): string {
  if (renewal) return texts.renewal;
  const payment = payments.find(({ id }) => id === paymentId);
  return payment === undefined ? texts.laterCharge : texts.charge(formats.date(payment.created_at));
}

function consequences({ order, preview, renewals }: RefundContent, formats: Formats): Html {
  const { charges, subscription, commissions, emails, webhooks } = preview;
  const keepsRenewals = !renewals && charges.some(({ renewal }) => renewal);
  const all: Html[] = [];
  if (subscription !== null) all.push(html`${texts.ends}`);
  if (keepsRenewals) all.push(html`${texts.renewalsStay}`);
  for (const { affiliateCode, amountCents, currency } of commissions)
    all.push(
      html`${texts.commissionOf} <bdi>${affiliateCode}</bdi> ${texts.commission(formats.amount(amountCents, currency))}`,
    );
  for (const email of emails) all.push(emailLine(order, email));
  const technical = webhooks.length > 0 && webhooksSent(html`${webhooks.map(webhookCount)}`);
  if (all.length === 0 && webhooks.length === 0) return html``;
  return card(
    texts.also,
    html`${all.length > 0 && html`<ul>${all.map((line) => html`<li>${line}</li>`)}</ul>`}${technical}`,
  );
}

/** Who gets which email by it. */
export function emailLine(order: OrderWithPayments, { name, to }: Preview['emails'][number]): Html {
  const who = to === 'buyer' ? html`<bdi>${order.customer_email}</bdi> ${texts.getsEmail}` : texts.youGetEmail;
  return html`${who} “<bdi>${name}</bdi>”.`;
}

const webhookCount = ({ event, count }: Preview['webhooks'][number], index: number): Html =>
  html`${index > 0 && ', '}<code>${event}</code>${count > 1 && ` × ${count}`}`;
