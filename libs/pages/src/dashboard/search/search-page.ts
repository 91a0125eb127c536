import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { orderTable } from '../frame/order-table.ts';
import { subscriptionTable } from '../frame/subscription-table.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Found, readMax, shownMax } from './find.ts';

const texts = {
  title: 'Search',
  label: 'Email, name, code, order number or id',
  search: 'Search',
  hint: 'Orders and subscriptions are found by the buyer’s whole email address, by the number on a receipt, or by how the buyer’s name begins; products and affiliates by a part of their name, address or code.',
  none: (text: string) => `Nothing matches “${text}”. Test orders and test subscriptions are not searched.`,
  orders: 'Orders',
  subscriptions: 'Subscriptions',
  products: 'Products',
  affiliates: 'Affiliates',
  allOrders: 'All orders that match',
  allSubscriptions: 'All subscriptions of this buyer',
  allProducts: 'All products',
  allAffiliates: 'All affiliates',
  partial: (count: string) => `Only the newest ${count} products and affiliates were searched.`,
} as const;

/** What was found of each kind. @param found null before anything was typed */
export function searchPage(text: string, found: Found | null, formats: Formats): DashboardPage {
  const input = field({ name: 'q', label: texts.label, value: text, maxLength: 200, autocomplete: 'off' });
  const form = html`<form class="filters" role="search" aria-label="${texts.title}" action="/app/search">${input}${button({ label: texts.search })}</form>`;
  const shown = found === null ? html`<p class="quiet">${texts.hint}</p>` : results(text, found, formats);
  return { title: texts.title, main: html`${form}${shown}` };
}

function results(text: string, found: Found, formats: Formats): Html {
  const { orders, subscriptions, products, affiliates } = found;
  const query = encodeURIComponent(text);
  const all = [
    section(texts.orders, orders, (some) => orderTable(some, texts.orders, formats), {
      href: `/app/orders?q=${query}`,
      label: texts.allOrders,
    }),
    section(
      texts.subscriptions,
      subscriptions,
      (some) => subscriptionTable(some, texts.subscriptions, formats),
      text.includes('@') ? { href: `/app/subscriptions?email=${query}`, label: texts.allSubscriptions } : null,
    ),
    section(texts.products, products, productRows, { href: '/app/products', label: texts.allProducts }),
    section(texts.affiliates, affiliates, affiliateRows, { href: '/app/affiliates', label: texts.allAffiliates }),
  ].filter((each) => each !== null);
  const partial = !found.isAll && notice('info', texts.partial(formats.count(readMax)));
  const none = all.length === 0 && html`${emptyState(texts.none(text))}<p class="small quiet">${texts.hint}</p>`;
  return html`${all}${none}${partial}`;
}

/** Nothing where nothing was found. @param all where more of them are, if that can be said */
function section<Item>(
  title: string,
  found: readonly Item[],
  list: (some: readonly Item[]) => Html,
  all: { readonly href: string; readonly label: string } | null,
): Html | null {
  if (found.length === 0) return null;
  const more =
    found.length > shownMax && all !== null && html`<p class="small"><a href="${all.href}">${all.label}</a></p>`;
  return html`<section class="stack tight"><h2>${title}</h2>${list(found.slice(0, shownMax))}${more}</section>`;
}

const productRows = (products: Found['products']): Html =>
  rows(
    products.map(({ id, name, slug }) => ({
      href: `/app/products/${id}`,
      title: html`<bdi>${name}</bdi>`,
      detail: `/${slug}`,
      end: html``,
    })),
  );

const affiliateRows = (affiliates: Found['affiliates']): Html =>
  rows(
    affiliates.map(({ code, name, email }) => ({
      href: `/app/affiliates/code/${code}`,
      title: html`<bdi>${name}</bdi>`,
      detail: html`<bdi>${code}</bdi> · <bdi>${email}</bdi>`,
      end: html``,
    })),
  );
