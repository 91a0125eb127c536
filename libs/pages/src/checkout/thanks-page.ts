import { orderNumber } from '@app/contracts/order-number';
import { linkLike } from '../components/button.ts';
import { card, facts } from '../components/card.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { PageOf } from './model.ts';
import {
  accessTo,
  type BoughtThing,
  orderLines,
  postForm,
  renewalNote,
  sellerLine,
  shopFooter,
  testBar,
} from './parts.ts';

const texts = {
  title: 'You’re in.',
  greeting: (name: string) => (name === '' ? 'Thank you. You bought' : `Thank you, ${name}. You bought`),
  receipt: 'Receipt',
  number: 'Order number',
  date: 'Date',
  paidWith: 'Paid with',
  email: 'Email',
  upsellDeclined: 'Your card was declined for the added offer. It is not in your order and was not charged.',
  portal: 'Manage your purchases',
  again: 'Buy again',
  refundedTitle: 'This order was refunded',
  refunded: (total: string) => `${total} went back to your card. Banks take a few days to show it.`,
  expiredTitle: 'This checkout has ended',
  expired: 'Nothing was charged. Begin again with today’s price.',
  beginAgain: 'Begin again',
} as const;

export interface ThanksContent {
  readonly orderId: string;
  readonly paidAt: string | null;
  /** Of the card that was charged; null where none was. */
  readonly cardName: string | null;
  readonly email: string;
  readonly name: string;
  readonly bought: readonly BoughtThing[];
  readonly isUpsellDeclined: boolean;
  /** Where the buyer finds it later. */
  readonly portalUrl: string;
}

/** The order is paid: what was bought first, then the receipt. */
export function thanksPage({ purchase, post, formats, content }: PageOf<ThanksContent>): Html {
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<div class="stack tight" role="status"><span class="check" aria-hidden="true">✓</span><h1>${texts.title}</h1><p>${texts.greeting(content.name)} <bdi>${purchase.product.name}</bdi>.</p></div>
${content.isUpsellDeclined && notice('warn', texts.upsellDeclined)}
${accessTo(content.bought, purchase.shop)}
${card(texts.receipt, html`${receiptFacts({ formats, content })}${orderLines(purchase, formats)}${renewalNote(purchase, formats)}`)}
<p class="small"><a href="${content.portalUrl}">${texts.portal}</a></p>
${postForm(post, html`<p class="small">${linkLike({ label: texts.again, name: 'do', value: 'again' })}</p>`)}${shopFooter(purchase.shop)}</main></div>`;
}

function receiptFacts({ formats, content }: Pick<PageOf<ThanksContent>, 'formats' | 'content'>): Html {
  const { orderId, paidAt, cardName, email } = content;
  const all: [string, string | Html][] = [[texts.number, html`<code class="small">${orderNumber(orderId)}</code>`]];
  if (paidAt !== null) all.push([texts.date, html`<time datetime="${paidAt}">${formats.date(paidAt)}</time>`]);
  if (cardName !== null) all.push([texts.paidWith, cardName]);
  if (email !== '') all.push([texts.email, html`<bdi>${email}</bdi>`]);
  return facts(all);
}

/** An order that was refunded, and a checkout that has ended: what was, and the way to begin again. */
export function endedPage({ purchase, post, formats, content }: PageOf<{ readonly isRefunded: boolean }>): Html {
  const total = formats.amount(purchase.totalCents, purchase.currency);
  const [title, text] = content.isRefunded
    ? [texts.refundedTitle, texts.refunded(total)]
    : [texts.expiredTitle, texts.expired];
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<div class="stack tight" role="status"><h1>${title}</h1><p>${text}</p></div>
<section class="card">${orderLines(purchase, formats)}</section>
${postForm(post, html`<button type="submit" class="button accent wide" name="do" value="again">${content.isRefunded ? texts.again : texts.beginAgain}</button>`)}
${shopFooter(purchase.shop)}</main></div>`;
}
