import { button } from '../components/button.ts';
import { type Html, html } from '../html.ts';

/** The texts of pages that say one thing. */
const texts = {
  notForSale: 'There is nothing for sale at this address',
  ownAddress: 'Each product has an address of its own.',
  checkAddress: 'Check the address, or get the current one where you found it.',
  noShop: 'There is no shop at this address',
  archived: 'This product is no longer for sale',
  archivedText: 'Who has bought it keeps it. Nothing was charged.',
  linkOver: 'This link has no effect',
  linkOfLatest: 'It is not complete, or it is very old. Use the link of the latest email as it stands there.',
  restore: 'Continue your order',
  restoreText: 'Your order is as you left it.',
  restoreTextOf: (product: string, seller: string) =>
    `Your order of ${product}${seller === '' ? '' : ` at ${seller}`} is as you left it.`,
  restoreNothingCharged: 'Nothing is charged before you press Pay.',
  linkUsed: 'This link has done its work',
  orderAgain: 'Order again',
  failed: 'That did not work',
  nothingHere: 'There is nothing here',
  noPurchase: 'No purchase of yours has this address.',
  purchases: 'Your purchases',
  again: 'Try again',
  request: (id: string) => `Request ${id}`,
  back: 'Back to the form',
  busy: 'One moment',
  busyText: (seconds: number) =>
    `Many requests come from your network. Nothing is lost, and nothing was charged. This page tries again in ${seconds} seconds.`,
  busyForm: (seconds: number) =>
    `Many requests come from your network. What you typed is kept, and nothing was charged. Try again in ${seconds} seconds.`,
  noReminders: 'No more reminders',
  sendsOne: (name: string) =>
    `${name} sends one email when you leave a checkout unfinished. It can leave that out from now on.`,
  end: (name: string) => `No more reminders from ${name || 'this seller'}`,
  ended: (name: string) => `${name} sends you no more reminders of unfinished checkouts.`,
  stillReach: 'Receipts and answers to your questions still reach you.',
  seller: 'This seller',
} as const;

export interface NoticePage {
  readonly title: string;
  readonly body: Html;
}

/** A page that says one thing, and at most one thing to do. */
export function noticePage(title: string, paragraphs: readonly (string | Html)[], action?: Html): NoticePage {
  const texts = paragraphs.map((text) => html`<p>${text}</p>`);
  return {
    title,
    body: html`<main class="single" id="page"><div class="stack tight"><h1>${title}</h1>${texts}</div>${action}</main>`,
  };
}

export const unknownShopPage = (): NoticePage => noticePage(texts.noShop, [texts.checkAddress]);
/** Of a shop's own address: its products have one each. */
export const unknownProductPage = (): NoticePage =>
  noticePage(texts.notForSale, [texts.ownAddress, texts.checkAddress]);
/** A draft has no page: it is an address without a product. */
export const notForSalePage = (): NoticePage => noticePage(texts.notForSale, [texts.checkAddress]);
export const unknownTokenPage = (): NoticePage => noticePage(texts.linkOver, [texts.linkOfLatest]);

/** Needs one more click: mail scanners open links, and some of them run scripts. */
export function restorePage(of: { readonly product: string; readonly seller: string } | null): NoticePage {
  const send = button({ label: texts.restore, kind: 'accent', isWide: true });
  const text = of === null ? texts.restoreText : texts.restoreTextOf(of.product, of.seller);
  return noticePage(texts.restore, [text, texts.restoreNothingCharged], html`<form method="post">${send}</form>`);
}

/** Of a link that restores nothing any more: what was bought, and how to buy it once more. */
export function usedLinkPage(text: string, productPath: string, portalPath: string): NoticePage {
  const ways = html`<p><a href="${portalPath}">${texts.purchases}</a></p><p><a href="${productPath}">${texts.orderAgain}</a></p>`;
  return noticePage(texts.linkUsed, [text], ways);
}

export const archivedPage = (): NoticePage => noticePage(texts.archived, [texts.archivedText]);

/** Of a portal: an order or a subscription that is not this buyer's is none. */
export const nothingFoundPage = (portalPath: string): NoticePage =>
  noticePage(texts.nothingHere, [texts.noPurchase], html`<p><a href="${portalPath}">${texts.purchases}</a></p>`);

/** @param back address of the form that was sent, where one can begin again */
export function failedPage(text: string, requestId: string, back?: string): NoticePage {
  const said = [text, html`<small class="quiet">${texts.request(requestId)}</small>`];
  return noticePage(
    texts.failed,
    said,
    back === undefined ? undefined : html`<p><a href="${back}">${texts.back}</a></p>`,
  );
}

/** Of an address that is none of a page. */
export function nothingHerePage(requestId: string): NoticePage {
  return noticePage(texts.nothingHere, [
    texts.checkAddress,
    html`<small class="quiet">${texts.request(requestId)}</small>`,
  ]);
}

/** The page of a reader over the limit of an address; its head loads it again. */
export const busyPage = (seconds: number): NoticePage => noticePage(texts.busy, [texts.busyText(seconds)]);

/** A form that came over the limit, with all that was typed: its button sends it again, and so does a script. */
export function busyFormPage(
  seconds: number,
  action: string,
  typed: readonly (readonly [name: string, value: string])[],
): NoticePage {
  const fields = typed.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const send = button({ label: texts.again, kind: 'accent', isWide: true });
  return noticePage(
    texts.busy,
    [texts.busyForm(seconds)],
    html`<form class="stack" method="post" action="${action}" data-retry-seconds="${seconds}">${fields}${send}</form>`,
  );
}

/** Needs one more click: mail scanners open links, and none of them may end anything. */
export function optOutPage(businessName: string): NoticePage {
  const end = button({ label: texts.end(businessName), kind: 'accent', isWide: true });
  return noticePage(
    texts.noReminders,
    [texts.sendsOne(businessName || texts.seller)],
    html`<form method="post">${end}</form>`,
  );
}

export function optedOutPage(businessName: string): NoticePage {
  const said = html`<span role="status">${texts.ended(businessName || texts.seller)}</span>`;
  return noticePage(texts.noReminders, [said, texts.stillReach]);
}
