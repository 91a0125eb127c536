import { button } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { CardForm } from './cards.ts';
import { bankLink, type Confirming, confirmButton } from './confirming.ts';
import type { PageOf } from './model.ts';
import { orderLines, postForm, sellerLine, shopFooter, testBar } from './parts.ts';

const texts = {
  title: 'Your bank asks you to confirm',
  text: (total: string) => `Confirm the payment of ${total} at your bank. Nothing is charged until you do.`,
  other: 'Pay with another card',
  pay: (total: string) => `Pay ${total} with this card`,
  paying: 'Paying…',
  details: 'Order details',
} as const;

export interface BankContent {
  readonly confirming: Confirming;
  readonly card: CardForm;
  readonly chosenCard: string;
  readonly quote: string;
  readonly notice: string | null;
}

export function bankPage({ purchase, post, formats, content }: PageOf<BankContent>): Html {
  const total = formats.amount(purchase.totalCents, purchase.currency);
  const shown = html`<input type="hidden" name="quote" value="${content.quote}"><input type="hidden" name="shown" value="${purchase.totalCents}">`;
  const otherCard = html`<div class="stack">${shown}${content.card.fields(content.chosenCard)}${button({
    label: texts.pay(total),
    busyLabel: texts.paying,
    name: 'do',
    value: 'pay-otherwise',
    isWide: true,
  })}</div>`;
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<div class="stack tight"><h1>${texts.title}</h1><p>${texts.text(total)}</p></div>
${content.notice !== null && notice('bad', content.notice)}
${bankLink(content.confirming)}
${postForm(post, html`${confirmButton(content.confirming)}${fold(texts.other, otherCard, { id: 'other' })}`)}
${fold(texts.details, orderLines(purchase, formats))}${shopFooter(purchase.shop)}</main></div>`;
}
