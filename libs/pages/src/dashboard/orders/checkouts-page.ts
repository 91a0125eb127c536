import type { UnfinishedCheckout } from '@app/contracts/unfinished-checkouts';
import { select } from '../../components/field.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { buyerPath } from '../frame/addresses.ts';
import { filtersForm } from '../frame/filters.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { checkoutsPath, type Named, orderTabs, productFilter } from './parts.ts';

type Status = UnfinishedCheckout['status'];

const texts = {
  title: 'Unpaid checkouts',
  about: 'Buyers who gave an email address and have not paid.',
  reminders: 'When a reminder goes out',
  search: 'Search unpaid checkouts',
  buyer: 'Buyer',
  product: 'Product',
  active: 'Last active',
  status: 'Status',
  attempt: 'Last attempt to pay',
  anyStatus: 'Any status',
  empty: 'No checkout is unpaid. One is listed here as soon as its buyer gave an email address.',
  products: 'Open your products',
  noMatch: 'No checkout matches.',
  showAll: 'Show all unpaid checkouts',
} as const;

const badges: Readonly<Record<Status, Html>> = {
  open: badge('info', 'Open'),
  stalled: badge('warn', 'Stalled'),
  reminded: badge('info', 'Reminded'),
  expired: badge('none', 'Expired'),
};

/** What a status means, where the list is narrowed to it. */
const meanings: Readonly<Record<Status, string>> = {
  open: 'Their buyers were active until a short while ago.',
  stalled: 'Their buyers left. The next daily job sends each one reminder.',
  reminded: 'An email with a link back to the checkout went to each buyer.',
  expired: 'They were not paid within 30 days, or the held card was released.',
};

const reasons = {
  card_declined: badge('bad', 'Card declined'),
  try_again_later: badge('bad', 'Payment failed'),
  incorrect_cvc: badge('bad', 'Wrong security code'),
  expired_card: badge('bad', 'Card expired'),
  insufficient_funds: badge('bad', 'Not enough money'),
  amount_too_small: badge('bad', 'Total too small'),
  ask_bank: badge('bad', 'Declined by the bank'),
} as const;

interface CheckoutsContent extends ListContent {
  readonly checkouts: readonly UnfinishedCheckout[];
  /** Of the products, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly products: Named;
  /** As the address has them. */
  readonly filters: { readonly status: Status | undefined; readonly productId: string | undefined };
}

export function checkoutsPage(content: CheckoutsContent): DashboardPage {
  const {
    checkouts,
    filters: { status, productId },
    pager,
  } = content;
  const isNarrowed = status !== undefined || productId !== undefined;
  const about = html`<p class="small quiet">${status === undefined ? texts.about : meanings[status]} <a href="/app/settings/selling">${texts.reminders}</a></p>`;
  const [text, href, label] = isNarrowed
    ? [texts.noMatch, checkoutsPath, texts.showAll]
    : [texts.empty, '/app/products', texts.products];
  const list =
    checkouts.length === 0 ? emptyState(text, html`<p><a href="${href}">${label}</a></p>`) : checkoutTable(content);
  const isBlank = checkouts.length === 0 && !isNarrowed;
  return {
    title: texts.title,
    main: html`${orderTabs(checkoutsPath)}${!isBlank && html`${filters(content, isNarrowed)}${about}`}${list}${pager}`,
  };
}

function checkoutTable({ checkouts, names, formats }: CheckoutsContent): Html {
  const rows = checkouts.map(({ customer_email, product_id, last_active_at, status, reason }) => ({
    href: buyerPath(customer_email),
    cells: [
      html`<bdi>${customer_email}</bdi>`,
      html`<bdi>${names.get(product_id) ?? ''}</bdi>`,
      when(last_active_at, formats),
      badges[status],
      reason === null ? '' : reasons[reason],
    ],
  }));
  return table({ caption: texts.title, columns, rows });
}

const columns = columnsOf({
  title: texts.buyer,
  wide: texts.product,
  detail: texts.active,
  status: texts.status,
  end: texts.attempt,
});

function filters({ filters: { status, productId }, products }: CheckoutsContent, isNarrowed: boolean): Html {
  const statusFilter = select({
    name: 'status',
    label: texts.status,
    value: status ?? '',
    options: [
      ['', texts.anyStatus],
      ['open', 'Open'],
      ['stalled', 'Stalled'],
      ['reminded', 'Reminded'],
      ['expired', 'Expired'],
    ],
  });
  return filtersForm({
    label: texts.search,
    path: checkoutsPath,
    fields: html`${statusFilter}${productFilter(products, productId ?? '')}`,
    isNarrowed,
  });
}
