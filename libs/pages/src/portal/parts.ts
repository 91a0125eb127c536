import type { PortalSubscription } from '@app/contracts/portal';
import { sellerLine, shopFooter } from '../checkout/parts.ts';
import { linkLike } from '../components/button.ts';
import { money } from '../components/lines.ts';
import { badge, bar } from '../components/notice.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf, PortalOf } from './model.ts';

const texts = {
  test: 'Test mode: this is a test purchase. Nothing is charged.',
  testBadge: 'Test',
  signOut: 'Sign out',
  every: { month: 'every month', year: 'every year' },
} as const;

export const subscriptionPath = (path: string, id: string): string => `${path}/subscriptions/${id}`;
export const orderPath = (path: string, id: string): string => `${path}/orders/${id}`;

interface Around {
  /** A bar says that the page is about a test purchase. */
  readonly isTest?: boolean;
  /** As wide as a form; else as wide as what is read. */
  readonly isNarrow?: boolean;
}

/** A page around its main part: whose shop it is, who is signed in, and whom to write to. */
export function opened(page: OpenedOf<unknown>, main: Html, { isTest, isNarrow }: Around = {}): Html {
  return html`<div id="page" class="${isNarrow ? 'portal narrow' : 'portal'}">${isTest && bar('warn', texts.test)}<header class="top">${sellerLine(page.shop)}${signedIn(page)}</header>
<main>${main}${shopFooter(page.shop)}</main></div>`;
}

/** A page of a visitor who has not opened the portal yet. */
export const closed = (page: PortalOf<unknown>, main: Html): Html =>
  html`<div id="page"><main class="single">${sellerLine(page.shop)}${main}${shopFooter(page.shop)}</main></div>`;

const signedIn = ({ path, visitor, key }: OpenedOf<unknown>): Html =>
  html`<form class="signed-in" method="post" action="${path}"><input type="hidden" name="key" value="${key}"><bdi>${visitor.email}</bdi> ${linkLike(
    { label: texts.signOut, name: 'do', value: 'sign-out' },
  )}</form>`;

/** A form that leads on to a page. @param action null posts to the page's own address */
export const form = (page: PortalOf<unknown>, action: string | null, content: Html): Html =>
  html`<form class="stack" method="post" action="${action}" novalidate><input type="hidden" name="key" value="${page.key}">${content}</form>`;

/** The way back to where the page was opened. */
export const wayBack = (href: string, label: string | Html): Html =>
  html`<p class="small back"><a href="${href}">${label}</a></p>`;

export const testBadge = (isTest: boolean): readonly Html[] => (isTest ? [badge('warn', texts.testBadge)] : []);

const statuses = {
  active: badge('good', 'Active'),
  past_due: badge('bad', 'Past due'),
  paused: badge('info', 'Paused'),
  canceled: badge('none', 'Ended'),
} as const;
export const statusBadge = ({ status }: PortalSubscription): Html => statuses[status];

/** What it costs, and how often. */
export const price = (of: PortalSubscription, formats: Formats): Html =>
  html`${money(formats.amount(of.amount_cents, of.currency))} ${texts.every[of.billing_interval]}`;

export const day = (at: string, formats: Formats): Html => html`<time datetime="${at}">${formats.date(at)}</time>`;
