import type { RequestOutput } from '@app/contracts/define';
import type { listDeliveries } from '@app/contracts/webhook-deliveries';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { deliveryBadge, deliveryChoices } from '../frame/delivery-badge.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import {
  activityTabs,
  activityTitle,
  deliveriesPath,
  deliveryPath,
  type Filtered,
  filterForm,
  noMatch,
} from './filters.ts';

export type Delivery = RequestOutput<typeof listDeliveries>['data'][number];

const statuses = deliveryChoices(['pending', 'delivered', 'failed', 'held', 'filtered', 'canceled']);

const texts = {
  empty: 'There is no delivery yet: each event makes one for each endpoint and automation that takes it.',
  none: 'No delivery matches.',
  toWhom: 'to',
  to: (url: string) => url.replace('mailto:', ''),
} as const;

export function deliveriesPage(
  visit: Visit,
  { items, problem, pager, isFiltered = false }: Filtered<Delivery>,
): DashboardPage {
  const rows = items.map((delivery) => ({
    href: deliveryPath(delivery.id),
    cells: [
      eventLabel(delivery.event),
      html`<bdi>${delivery.email}</bdi>${recipientOf(delivery)}`,
      html`<bdi>${texts.to(delivery.url ?? '')}</bdi>`,
      when(delivery.created_at, visit.formats),
      deliveryBadge(delivery),
    ],
  }));
  const list =
    rows.length > 0
      ? table({ caption: 'Deliveries', columns, rows })
      : problem === null && (isFiltered ? noMatch(visit, texts.none) : emptyState(texts.empty));
  return {
    title: activityTitle,
    part: 'Deliveries',
    main: html`${activityTabs(deliveriesPath)}${filterForm(visit, { statuses, problem })}${list}${pager}`,
  };
}

/** On a phone, where To has no column: of several emails of one event it is what differs. */
const recipientOf = ({ url, email }: Delivery): Html =>
  html`${url?.startsWith('mailto:') === true && texts.to(url) !== email && html`<span class="name" aria-hidden="true"> · ${texts.toWhom} <bdi>${texts.to(url)}</bdi></span>`}`;

const columns = columnsOf({ title: 'Event', detail: 'Buyer', wide: 'To', status: 'When', end: 'Status' });
