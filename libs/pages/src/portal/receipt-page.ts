import { orderNumber } from '@app/contracts/order-number';
import type { PortalReceipt } from '@app/contracts/portal';
import { accessTo, type BoughtThing, lineLabel, mailTo } from '../checkout/parts.ts';
import { facts } from '../components/card.ts';
import { cardName } from '../components/card-name.ts';
import { lines } from '../components/lines.ts';
import { badge, notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf } from './model.ts';
import { day, opened, wayBack } from './parts.ts';

const texts = {
  back: 'Your purchases',
  title: 'Receipt',
  from: 'from',
  print: 'Print',
  number: 'Order number',
  date: 'Date',
  seller: 'Seller',
  buyer: 'Buyer',
  paidWith: 'Paid with',
  agreed: 'You agreed',
  caption: 'What you bought',
  total: 'Total',
  refunded: (date: string) => `Refunded ${date}`,
  left: 'Paid after refunds',
  allBack: 'This order was refunded. Banks take a few days to show it.',
  held: (total: string) => `Your card is reserved for ${total}. It is charged once the order is complete.`,
  paid: 'Paid',
  refundedBadge: 'Refunded',
  heldBadge: 'Card reserved',
} as const;

const badges = {
  paid: badge('good', texts.paid),
  refunded: badge('none', texts.refundedBadge),
  authorized: badge('info', texts.heldBadge),
} as const;

/** One order, as a receipt that can be printed. */
export function receiptPage(page: OpenedOf<PortalReceipt>): Html {
  const { content: order, formats } = page;
  return opened(
    page,
    html`<div class="stack tight">${wayBack(page.path, texts.back)}<h1>${texts.title} ${texts.from} <bdi>${order.seller.name}</bdi></h1>
<p class="quiet"><bdi>${order.product_name}</bdi></p></div>
${order.status === 'refunded' && notice('info', texts.allBack)}
${order.status === 'authorized' && notice('info', texts.held(formats.amount(order.total_cents, order.currency)))}
${order.status === 'paid' && accessTo(boughtWith(order), page.shop)}
<section class="card receipt" aria-label="${texts.title}">${receiptFacts(page)}${money(page)}</section>
<p class="small print"><button type="button" class="link" data-print hidden>${texts.print}</button></p>`,
    { isTest: order.test },
  );
}

/** The product is where the seller has it today; what was added to it is where it was at the sale. */
const boughtWith = ({ items, access_url: ofProduct }: PortalReceipt): BoughtThing[] =>
  items
    .filter(({ kind }) => kind !== 'discount')
    .map(({ kind, label, access_url }) => ({ label, href: (kind === 'main' ? ofProduct : access_url) || null }));

function receiptFacts({ content: order, formats }: OpenedOf<PortalReceipt>): Html {
  const { seller, customer_name: name, customer_email: email } = order;
  const of = (name: string, address: Html) => html`${name !== '' && html`<bdi>${name}</bdi><br>`}${address}`;
  const all: [string, Html][] = [
    [texts.number, html`<code class="small">${orderNumber(order.id)}</code>`],
    [texts.date, html`${day(order.created_at, formats)} ${badges[order.status]}`],
    [texts.seller, of(seller.name, mailTo({ supportEmail: seller.support_email }))],
    [texts.buyer, of(name, html`<bdi>${email}</bdi>`)],
  ];
  const card = cardName(order);
  if (card !== null) all.push([texts.paidWith, html`${card}`]);
  if (order.immediate_access !== null) all.push([texts.agreed, html`${order.immediate_access}`]);
  return facts(all);
}

function money({ content: order, formats }: OpenedOf<PortalReceipt>): Html {
  const amount = (cents: number) => formats.amount(cents, order.currency);
  const refunds = order.refunds.map(({ amount_cents, refunded_at }) => ({
    label: texts.refunded(formats.date(refunded_at)),
    amount: amount(-amount_cents),
  }));
  const left = { label: texts.left, amount: amount(order.total_cents - order.refunded_cents) };
  return lines(
    texts.caption,
    order.items.map(({ kind, label, amount_cents }) => ({
      label: lineLabel(kind, label),
      amount: amount(amount_cents),
    })),
    { label: texts.total, amount: amount(order.total_cents) },
    refunds.length === 0 ? null : { lines: refunds, total: left },
  );
}
