import type { PortalOrder, PortalSubscription } from '@app/contracts/portal';
import { money } from '../components/lines.ts';
import { badge } from '../components/notice.ts';
import { pager, type Row, rows } from '../components/rows.ts';
import { declineTexts } from '../decline-texts.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf } from './model.ts';
import { day, opened, orderPath, price, statusBadge, subscriptionPath, testBadge } from './parts.ts';

const texts = {
  title: 'Your purchases',
  subscriptions: 'Subscriptions',
  orders: 'Orders',
  noOrders: 'There are no orders under this address.',
  ends: 'Ends',
  ended: 'Ended',
  nextCharge: 'Next charge',
  toConfirm: 'Your bank wants you to confirm the last payment.',
  notCharged: 'The last payment did not go through.',
  tryAgain: 'Next attempt',
  paused: 'Nothing is charged while it is paused.',
  external: 'Collected by the shop.',
  refunded: 'Refunded',
  partly: (amount: string) => `${amount} refunded`,
  held: 'Card reserved',
  newest: 'Newest',
  older: 'Older',
} as const;

export interface PurchasesContent {
  readonly subscriptions: readonly PortalSubscription[];
  readonly orders: readonly PortalOrder[];
  /** Where the first page of the orders is, if this is another. */
  readonly firstUrl: string | null;
  readonly nextUrl: string | null;
}

/** Everything that this buyer has from this shop: what needs them first. */
export function purchasesPage(page: OpenedOf<PurchasesContent>): Html {
  const { subscriptions, orders } = page.content;
  return opened(
    page,
    html`<h1>${texts.title}</h1>
${subscriptions.length > 0 && html`<section class="stack"><h2>${texts.subscriptions}</h2>${rows(subscriptions.toSorted(byUrgency).map((each) => subscriptionRow(page, each)))}</section>`}
<section class="stack"><h2>${texts.orders}</h2>${
      orders.length === 0
        ? html`<p class="quiet">${texts.noOrders}</p>`
        : rows(orders.map((each) => orderRow(page, each)))
    }${pagerOf(page)}</section>`,
    { isTest: [...subscriptions, ...orders].some(({ test }) => test) },
  );
}

const urgency = ['past_due', 'active', 'paused', 'canceled'] as const;
const byUrgency = (one: PortalSubscription, other: PortalSubscription): number =>
  urgency.indexOf(one.status) - urgency.indexOf(other.status);

function subscriptionRow({ path, formats }: OpenedOf<unknown>, of: PortalSubscription): Row {
  return {
    title: html`<bdi>${of.product_name}</bdi>`,
    detail: statusOf(of, formats),
    end: price(of, formats),
    badges: [...testBadge(of.test), statusBadge(of)],
    href: subscriptionPath(path, of.id),
  };
}

/** What happens next, in one line. */
function statusOf(of: PortalSubscription, formats: Formats): Html {
  const next = of.next_charge_at;
  if (of.status === 'canceled')
    return html`${of.canceled_at !== null && html`${texts.ended} ${day(of.canceled_at, formats)}`}`;
  if (of.status === 'paused') return html`${texts.paused}`;
  if (of.status === 'past_due') {
    if (of.failed_reason === 'confirmation_required') return html`${texts.toConfirm}`;
    const failed =
      of.failed_reason === 'try_again_later'
        ? texts.notCharged
        : declineTexts[of.failed_reason ?? 'card_declined'].what;
    return html`${failed}${next !== null && html` ${texts.tryAgain} ${day(next, formats)}`}`;
  }
  if (of.cancel_at !== null) return html`${texts.ends} ${day(of.cancel_at, formats)}`;
  if (next !== null) return html`${texts.nextCharge} ${day(next, formats)}`;
  return html`${of.collection === 'external' && texts.external}`;
}

function orderRow({ path, formats }: OpenedOf<unknown>, of: PortalOrder): Row {
  return {
    title: html`<bdi>${of.product_name}</bdi>`,
    detail: day(of.created_at, formats),
    end: money(formats.amount(of.total_cents, of.currency)),
    badges: [...testBadge(of.test), ...moneyBadges(of, formats)],
    href: orderPath(path, of.id),
  };
}

/** What is paid needs no word. */
function moneyBadges(of: PortalOrder, formats: Formats): readonly Html[] {
  if (of.status === 'authorized') return [badge('info', texts.held)];
  if (of.status === 'refunded') return [badge('none', texts.refunded)];
  return of.refunded_cents === 0 ? [] : [badge('none', texts.partly(formats.amount(of.refunded_cents, of.currency)))];
}

function pagerOf({ content: { firstUrl, nextUrl } }: OpenedOf<PurchasesContent>): Html {
  return pager({
    label: texts.orders,
    first: firstUrl === null ? null : { label: texts.newest, href: firstUrl },
    next: nextUrl === null ? null : { label: texts.older, href: nextUrl },
  });
}
