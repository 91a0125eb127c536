import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { field } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { type FormState, form } from '../frame/forms.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { webhooksSent } from '../frame/webhooks-sent.ts';
import { ordersPath } from './parts.ts';
import {
  aroundRefund,
  chargeLabel,
  emailLine,
  moneyButton,
  type Preview,
  type RefundContent,
  refundLabels,
} from './refund-page.ts';

const texts = {
  choose: 'Choose the payment',
  none: 'Nothing was charged for this order that could go back.',
  wholeBack: 'Refunded',
  left: 'Left',
  taken: 'Charged',
  goneBack: 'Refunded before',
  amountLabel: 'Amount',
  other: 'Use this amount',
  otherTitle: 'Refund a part',
  hint: (left: string) => `At most ${left}.`,
  tooMuch: (left: string) => `The amount can be at most ${left}: more is not left of the payment.`,
  tooLittle: 'The amount must be above zero.',
  goesOn: 'It was for a renewal: the subscription goes on. Cancel it to end its renewals.',
  ordersEnd: 'Once every payment of the order went back, the order is refunded, and a subscription that it began ends.',
  button: (amount: string) => `Refund ${amount} to`,
  nothingLeft: 'All of this payment went back before: nothing is left to refund.',
  done: 'The money is on its way back to the buyer. Banks take a few days to show it.',
  processing:
    'The payment processor has not answered yet whether it gave the money back. Load the page again to see it.',
  waits: 'A payment of this order has no outcome yet. Once it has, this one can be refunded: load the page again.',
} as const;

type Charge = Preview['charges'][number];

/** The charges of the order and its renewals, each of which leads to its refund. */
export function choosePaymentPage(content: RefundContent, formats: Formats): DashboardPage {
  const { order, preview } = content;
  if (preview.charges.length === 0) return aroundRefund(content, emptyState(texts.none));
  const all = preview.charges.map((charge) => ({
    title: chargeLabel(charge, order, formats),
    detail:
      charge.refundedCents > 0 ? `${texts.goneBack} ${formats.amount(charge.refundedCents, charge.currency)}` : '',
    end: money(formats.amount(charge.amountCents, charge.currency)),
    href: `${ordersPath}/${order.id}/refund?payment=${charge.paymentId}`,
  }));
  return aroundRefund(content, html`<h2>${texts.choose}</h2>${rows(all)}`);
}

/** The refund of one payment. The amount is in the address, so that the button names it. */
export function paymentRefundPage(
  visit: Visit,
  content: RefundContent,
  charge: Charge,
  state: FormState,
): DashboardPage {
  const { order, preview } = content;
  const left = charge.amountCents - charge.refundedCents;
  const about = chargeCard(content, charge, visit.formats);
  const said = state.problem === null ? since(visit, charge) : notice('bad', state.problem);
  if (left === 0) return aroundRefund(content, html`${said}${about}${notice('info', texts.nothingLeft)}`);
  if (!preview.possible) return aroundRefund(content, html`${said}${about}${notice('info', texts.waits)}`);
  const { cents, error } = wanted(content, left, visit.formats);
  const amount = formatted(cents, charge, visit.formats);
  const hidden = html`<input type="hidden" name="cents" value="${cents}"><input type="hidden" name="left" value="${left}">`;
  const refund = form(visit, {
    state,
    content: html`${hidden}${effects(content, charge, cents)}`,
    buttons: moneyButton(texts.button(amount), order.customer_email),
  });
  const part = partForm(content, charge, error, visit.formats);
  return aroundRefund(content, html`${said}${about}${error === undefined && refund}${part}`);
}

/** What became of the refund that the address says was made. */
function since({ request }: Visit, { refundedCents }: Charge): Html {
  const refund = request.query.get('refund');
  if (refund === 'processing') return notice('info', texts.processing);
  return refund === 'done' && refundedCents > 0 ? notice('good', texts.done) : html``;
}

interface Wanted {
  readonly cents: number;
  readonly error: string | undefined;
}

/** What the address says of the amount; the whole rest where it says nothing. */
function wanted({ amount, order: { currency } }: RefundContent, left: number, formats: Formats): Wanted {
  if (amount === null) return { cents: left, error: undefined };
  const read = readAmount(amount, currency, refundLabels.amount, formats);
  if (!read.ok) return { cents: left, error: read.error };
  if (read.cents === 0) return { cents: left, error: texts.tooLittle };
  const error = read.cents > left ? texts.tooMuch(formats.amount(left, currency)) : undefined;
  return { cents: read.cents, error };
}

const formatted = (cents: number, { currency }: Charge, formats: Formats): string => formats.amount(cents, currency);

function chargeCard({ order }: RefundContent, charge: Charge, formats: Formats): Html {
  const amount = (cents: number) => money(formatted(cents, charge, formats));
  return card(
    chargeLabel(charge, order, formats),
    facts([
      [texts.taken, amount(charge.amountCents)],
      [texts.goneBack, amount(charge.refundedCents)],
      [texts.left, amount(charge.amountCents - charge.refundedCents)],
    ]),
  );
}

function effects(content: RefundContent, charge: Charge, cents: number): Html {
  const emails = emailsOf(content, charge, cents).map((email) => html`<li>${emailLine(content.order, email)}</li>`);
  return html`<ul><li>${charge.renewal ? texts.goesOn : texts.ordersEnd}</li>${emails}</ul>${webhooksSent(html`<code>payment.refunded</code>`)}`;
}

/** The last of the order’s own money refunds the order, of which there is another notice. */
function emailsOf({ order, preview, automations }: RefundContent, charge: Charge, cents: number) {
  const leftAfter = preview.charges
    .filter(({ renewal }) => !renewal)
    .reduce((sum, { amountCents, refundedCents }) => sum + amountCents - refundedCents, -cents);
  const isWhole = !charge.renewal && leftAfter === 0;
  return automations.flatMap(({ active, available, built_in, event, name, product_id, action }) => {
    if (action.type !== 'email' || !active || !available) return [];
    if ((product_id ?? order.product_id) !== order.product_id) return [];
    if (isWhole && built_in === 'partial_refund_notice') return [];
    const isSent = event === 'payment.refunded' || (isWhole && event === 'order.refunded');
    return isSent ? [{ name, to: action.to }] : [];
  });
}

/** Another amount leads to the page with it on the button. */
function partForm(
  { order, payment, amount }: RefundContent,
  charge: Charge,
  error: string | undefined,
  formats: Formats,
): Html {
  const left = charge.amountCents - charge.refundedCents;
  return card(
    texts.otherTitle,
    html`<form class="stack form" action="${ordersPath}/${order.id}/refund"><input type="hidden" name="payment" value="${payment}">${field(
      {
        name: 'amount',
        label: texts.amountLabel,
        hint: texts.hint(formatted(left, charge, formats)),
        value: amount ?? '',
        error,
        isRequired: true,
        maxLength: 40,
      },
    )}<div class="buttons">${button({ label: texts.other })}</div></form>`,
  );
}
