import { button } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { money } from '../components/lines.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { PageOf } from './model.ts';
import { orderLines, postForm, sellerLine, shopFooter, testBar } from './parts.ts';

const texts = {
  ordered: (product: string) => `Your order of ${product} is in.`,
  reserved: (total: string) => `Your card is reserved for ${total} until you decide.`,
  adds: (price: string) => `Adding this charges ${price} to the same card.`,
  left: 'min left to decide. After that your order goes through as it is.',
  over: 'The time to decide is over. Your order goes through as it is.',
  accept: (price: string) => `Add it for ${price}`,
  decline: 'No, thank you',
  busy: 'One moment…',
  details: 'Order details',
} as const;

export interface UpsellContent {
  readonly headline: string;
  /** A few lines; empty for none. */
  readonly description: string;
  readonly amountCents: number;
  /** When the decision is made without the buyer; null where that is not known. */
  readonly expiresAt: string | null;
  readonly now: string;
  readonly notice: string | null;
}

/** One offer, before the order is finished: both answers are equally large. */
export function upsellPage({ purchase, post, formats, content }: PageOf<UpsellContent>): Html {
  const price = formats.amount(content.amountCents, purchase.currency);
  const total = formats.amount(purchase.totalCents, purchase.currency);
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<p class="quiet small">${texts.ordered(purchase.product.name)} ${texts.reserved(total)}</p>
<div class="stack tight"><h1><bdi>${content.headline}</bdi></h1>${content.description !== '' && html`<p class="description"><bdi>${content.description}</bdi></p>`}<p class="hero">${money(price)}</p><p class="quiet">${texts.adds(price)}</p></div>
${content.notice !== null && notice('bad', content.notice)}
${postForm(
  post,
  html`<div class="pair">${button({ label: texts.accept(price), busyLabel: texts.busy, name: 'do', value: 'accept' })}${button(
    {
      label: texts.decline,
      busyLabel: texts.busy,
      name: 'do',
      value: 'decline',
    },
  )}</div>`,
)}
${content.expiresAt !== null && timeLeft(content.expiresAt, content.now)}
${fold(texts.details, orderLines(purchase, formats))}${shopFooter(purchase.shop)}</main></div>`;
}

/** A script counts on from the seconds that are left: a browser's own clock may be wrong. */
function timeLeft(until: string, now: string): Html {
  const seconds = Math.ceil((Date.parse(until) - Date.parse(now)) / 1000);
  if (seconds <= 0) return html`<p class="quiet small">${texts.over}</p>`;
  return html`<p class="quiet small"><span data-seconds-left="${seconds}">${Math.ceil(seconds / 60)}</span> ${texts.left}</p>`;
}
