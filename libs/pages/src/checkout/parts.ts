import { type AccessLink, accessLinks } from '../components/access-links.ts';
import { lines as lineTable, money } from '../components/lines.ts';
import { bar } from '../components/notice.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { Post, Purchase, Shop } from './model.ts';
import { orderTexts as texts } from './order-page.texts.ts';

/** The name and logo of the shop, at the top of each page. */
export const sellerLine = ({ name, logoUrl }: Shop): Html =>
  html`<p class="seller">${logoUrl !== null && html`<img src="${logoUrl}" alt="" height="32">`}<bdi>${name}</bdi></p>`;

/** Across each page of a test purchase. */
export const testBar = ({ isTest }: Purchase): Html => html`${isTest && bar('warn', texts.test)}`;

/** The line of a discount has its code alone. */
export const lineLabel = (kind: string, label: string): string => (kind === 'discount' ? texts.discount(label) : label);

/** Lines and total. */
export function orderLines({ lines, totalCents, currency, product }: Purchase, formats: Formats): Html {
  return lineTable(
    texts.caption,
    lines.map(({ kind, label, amountCents }) => ({
      label: lineLabel(kind, label),
      amount: formats.amount(amountCents, currency),
    })),
    {
      label: product.billingInterval === null ? texts.total : texts.totalToday,
      amount: formats.amount(totalCents, currency),
    },
  );
}

/** One of the things bought; null where no link leads to it. */
export interface BoughtThing {
  readonly label: string;
  readonly href: string | null;
}

/** The way to all that was bought: what has a link by it, and of the rest how it comes. */
export function accessTo(bought: readonly BoughtThing[], shop: Pick<Shop, 'name' | 'supportEmail'>): Html {
  const hasLink = (thing: BoughtThing): thing is AccessLink => thing.href !== null;
  const links = bought.filter(hasLink);
  const others = bought.filter((thing) => !hasLink(thing)).map(({ label }) => label);
  if (others.length === 0) return accessLinks(links, true);
  const sentence =
    links.length === 0
      ? texts.delivered(shop.name)
      : html`<bdi>${others.join(', ')}</bdi>: ${texts.deliveredToo(shop.name, others.length)}`;
  return html`${accessLinks(links, false)}<p>${sentence} ${texts.ifNothing} ${mailTo(shop)}.</p>`;
}

/** What an offer cost before, struck through; nothing where it has no such price. */
export const earlierPrice = (cents: number | null, currency: string, formats: Formats): Html =>
  cents === null
    ? html``
    : html`<s class="was"><span class="unseen">${texts.earlierPrice} </span>${money(formats.amount(cents, currency))}</s> `;

/** What comes when, until when, and how it ends: before the buyer pays, and once it is paid. */
export function renewalNote({ product, lines, currency, shop }: Purchase, formats: Formats): Html {
  const interval = product.billingInterval;
  if (interval === null) return html``;
  const price = lines.find(({ kind }) => kind === 'main')?.amountCents ?? 0;
  const renews = price === 0 ? texts.renewsFree(interval) : texts.renews(formats.amount(price, currency), interval);
  const cancel = shop.portalCancel ? texts.cancelHere : html`${texts.toCancel} ${mailTo(shop)}.`;
  return html`<p class="quiet small">${renews} ${cancel}</p>`;
}

export const mailTo = ({ supportEmail }: Pick<Shop, 'supportEmail'>): Html =>
  html`<a href="mailto:${supportEmail}">${supportEmail}</a>`;

/** The way out of a contract, on every page of the shop. */
export const withdrawLink = ({ handle, withdrawalDays }: Shop): Html =>
  withdrawalDays === 0 || handle === '' ? html`` : html`<p><a href="/p/${handle}/withdraw">${texts.withdraw}</a></p>`;

export function shopFooter(shop: Shop): Html {
  const links = [
    shop.termsUrl !== null && html`<a href="${shop.termsUrl}" rel="noreferrer">${texts.termsTitle}</a>`,
    shop.refundPolicyUrl !== null &&
      html`<a href="${shop.refundPolicyUrl}" rel="noreferrer">${texts.refundPolicyTitle}</a>`,
  ].filter((link) => link !== false);
  return html`<footer class="footer stack tight">${
    links.length > 0 && html`<p>${links.map((link, index) => html`${index > 0 && ' · '}${link}`)}</p>`
  }${withdrawLink(shop)}<p>${texts.questions} ${mailTo(shop)}</p></footer>`;
}

/** What each form sends along, and how htmx takes its part out of the answer. */
export const postForm = (
  { action, key, productId }: Post,
  content: Html,
  { id = 'form', trigger }: { id?: string; trigger?: string } = {},
): Html =>
  html`<form class="stack" id="${id}" method="post" action="${action}" novalidate hx-post="${action}" hx-target="#page" hx-select="#page"
hx-swap="outerMorph" hx-sync="this:queue last" hx-trigger="${trigger}" data-offline="${texts.offline}" data-busy="${texts.busy}"><input type="hidden" name="key" value="${key}"><input type="hidden" name="product" value="${productId}">${content}</form>`;
