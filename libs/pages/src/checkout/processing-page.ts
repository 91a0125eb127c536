import { linkButton } from '../components/button.ts';
import { type Checks, checkAgain, isLong } from '../components/checks.ts';
import { type Html, html } from '../html.ts';
import type { PageOf } from './model.ts';
import { orderLines, sellerLine, shopFooter, testBar } from './parts.ts';

const texts = {
  title: 'Your payment is being checked',
  text: 'This page shows the outcome by itself. You are charged once at most, also if you close it.',
  long: 'It takes longer than usual. You are charged once at most. Come back to this page later, or write to the shop.',
  check: 'Check now',
} as const;

/** It refreshes itself, ever slower: by htmx, and by the head without script. */
export function processingPage({ purchase, formats, content }: PageOf<Checks>): Html {
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
${checkAgain(content, html`<h1>${texts.title}</h1><p>${isLong(content) ? texts.long : texts.text}</p>`)}
${linkButton({ label: texts.check, href: content.nextUrl, isWide: true })}
<section class="card">${orderLines(purchase, formats)}</section>${shopFooter(purchase.shop)}</main></div>`;
}
