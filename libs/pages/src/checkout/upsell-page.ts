import { button } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { money } from '../components/lines.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { PageOf } from './model.ts';
import { earlierPrice, orderLines, postForm, sellerLine, shopFooter, testBar } from './parts.ts';

const texts = {
  ordered: (product: string) => `Your order of ${product} is in.`,
  yours: (product: string) => `${product} is yours either way.`,
  reserved: (total: string) => `Your card is reserved for ${total} until you decide.`,
  adds: (price: string) => `Adding this charges ${price} to the same card.`,
  left: ['You have', 'min to decide.'],
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
  readonly compareAtCents: number | null;
  /** Its own; without one the picture of what was bought stands there. */
  readonly imageUrl: string | null;
  /** When the decision is made without the buyer; null where that is not known. */
  readonly expiresAt: string | null;
  readonly now: string;
  readonly notice: string | null;
}

/** One offer, before the order is finished: both answers are equally large, and what was bought stays bought by either. */
export function upsellPage({ purchase, post, formats, content }: PageOf<UpsellContent>): Html {
  const price = formats.amount(content.amountCents, purchase.currency);
  const total = formats.amount(purchase.totalCents, purchase.currency);
  const imageUrl = content.imageUrl ?? purchase.product.imageUrl;
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<p class="quiet small">${texts.ordered(purchase.product.name)} ${texts.reserved(total)}</p>
${imageUrl !== null && html`<img class="picture" src="${imageUrl}" alt="" width="480" height="270">`}
<div class="stack tight"><h1><bdi>${content.headline}</bdi></h1>${content.description !== '' && html`<p class="description"><bdi>${content.description}</bdi></p>`}<p class="hero">${money(price)} ${earlierPrice(content.compareAtCents, purchase.currency, formats)}</p><p class="quiet">${texts.adds(price)}</p></div>
${content.notice !== null && notice('bad', content.notice)}
${postForm(
  post,
  html`<div class="pair">${button({ label: texts.accept(price), busyLabel: texts.busy, name: 'do', value: 'accept', kind: 'accent' })}${button(
    {
      label: texts.decline,
      busyLabel: texts.busy,
      name: 'do',
      value: 'decline',
    },
  )}</div>`,
)}
<p class="quiet small"><bdi>${texts.yours(purchase.product.name)}</bdi>${content.expiresAt !== null && timeLeft(content.expiresAt, content.now)}</p>
${fold(texts.details, orderLines(purchase, formats))}${shopFooter(purchase.shop)}</main></div>`;
}

/** A script counts on from the seconds that are left: a browser's own clock may be wrong. */
function timeLeft(until: string, now: string): Html {
  const seconds = Math.ceil((Date.parse(until) - Date.parse(now)) / 1000);
  if (seconds <= 0) return html` ${texts.over}`;
  const [before, after] = texts.left;
  return html` ${before} <span data-seconds-left="${seconds}">${Math.ceil(seconds / 60)}</span> ${after}`;
}
