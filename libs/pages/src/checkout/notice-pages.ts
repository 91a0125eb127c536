import { button } from '../components/button.ts';
import { type Html, html } from '../html.ts';

/** The texts of pages that say one thing. */
const texts = {
  notForSale: 'There is nothing for sale at this address',
  ownAddress: 'Each product has an address of its own.',
  checkAddress: 'Check the address, or ask for the current one where you found it.',
  noShop: 'There is no shop at this address',
  archived: (name: string) => `${name} is no longer for sale`,
  archivedText: 'Nothing was charged.',
  linkOver: 'This link has no effect',
  linkOfLatest: 'It is not complete, or it is very old. Use the link of the latest email as it stands there.',
  failed: 'That did not work',
  again: 'Try again',
  request: (id: string) => `Request ${id}`,
  busy: 'One moment',
  busyText: (seconds: number) =>
    `Many requests come from your network. Nothing is lost, and nothing was charged. This page tries again in ${seconds} seconds.`,
  busyForm: (seconds: number) =>
    `Many requests come from your network. What you typed is kept, and nothing was charged. Try again in ${seconds} seconds.`,
  noReminders: 'No more reminders',
  sendsOne: (name: string) =>
    `${name} sends one email when you leave a checkout unfinished. It can leave that out from now on.`,
  end: (name: string) => `No more reminders from ${name}`,
  ended: (name: string) => `${name} sends you no more reminders of unfinished checkouts.`,
  stillReach: 'Receipts and answers to your questions still reach you.',
  seller: 'this seller',
  restoring: 'Opening your checkout',
  restoringText: 'Your order is as you left it.',
  goOn: 'Go on',
} as const;

/** A page that says one thing, and at most one thing to do. */
function noticePage(title: string, paragraphs: readonly (string | Html)[], action?: Html): Html {
  return html`<main class="single" id="page"><div class="stack tight"><h1>${title}</h1>${paragraphs.map(
    (text) => html`<p>${text}</p>`,
  )}</div>${action}</main>`;
}

export const unknownShopPage = (): Html => noticePage(texts.noShop, [texts.checkAddress]);
export const unknownProductPage = (): Html => noticePage(texts.notForSale, [texts.ownAddress, texts.checkAddress]);
/** A draft has no page: it is an address without a product. */
export const notForSalePage = (): Html => noticePage(texts.notForSale, [texts.checkAddress]);
export const unknownTokenPage = (): Html => noticePage(texts.linkOver, [texts.linkOfLatest]);

/** @param support address of the shop, which may know what came instead */
export const archivedPage = (name: string): Html => noticePage(texts.archived(name), [texts.archivedText]);

export function failedPage(text: string, requestId: string): Html {
  return noticePage(texts.failed, [text, html`<small class="quiet">${texts.request(requestId)}</small>`]);
}

/** The page of a reader over the limit of an address; its head loads it again. */
export const busyPage = (seconds: number): Html => noticePage(texts.busy, [texts.busyText(seconds)]);

/** A form that came over the limit, with all that was typed: it is sent again by its button, or by itself. */
export function busyFormPage(
  seconds: number,
  action: string,
  typed: readonly (readonly [name: string, value: string])[],
): Html {
  const fields = typed.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return noticePage(
    texts.busy,
    [texts.busyForm(seconds)],
    html`<form class="stack" method="post" action="${action}" data-retry-seconds="${seconds}">${fields}${button({ label: texts.again, kind: 'accent', isWide: true })}</form>`,
  );
}

/** Asks once more: mail scanners open links, and none of them may end anything. */
export function optOutPage(businessName: string): Html {
  const name = businessName || texts.seller;
  return noticePage(
    texts.noReminders,
    [texts.sendsOne(name)],
    html`<form method="post">${button({ label: texts.end(name), kind: 'accent' })}</form>`,
  );
}

export const optedOutPage = (businessName: string): Html =>
  noticePage(texts.noReminders, [
    html`<span role="status">${texts.ended(businessName || texts.seller)}</span>`,
    texts.stillReach,
  ]);
