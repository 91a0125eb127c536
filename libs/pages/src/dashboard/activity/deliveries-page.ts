import type { RequestOutput } from '@app/contracts/define';
import type { listDeliveries } from '@app/contracts/webhook-deliveries';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { deliveryBadge, deliveryChoices } from '../frame/delivery-badge.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { activityTabs, activityTitle, deliveriesPath, deliveryPath, type Filtered, filterForm } from './filters.ts';

export type Delivery = RequestOutput<typeof listDeliveries>['data'][number];

const statuses = deliveryChoices(['pending', 'delivered', 'failed', 'held', 'filtered', 'canceled']);

const texts = {
  empty: 'There is no delivery yet: each event makes one for each endpoint and automation that takes it.',
  none: 'No delivery is like this.',
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
      html`<bdi>${delivery.email}</bdi>`,
      html`<bdi>${texts.to(delivery.url ?? '')}</bdi>`,
      when(delivery.created_at, visit.formats),
      deliveryBadge(delivery),
    ],
  }));
  const list =
    rows.length > 0
      ? table({ caption: 'Deliveries', columns, rows })
      : problem === null && emptyState(isFiltered ? texts.none : texts.empty);
  return {
    title: activityTitle,
    part: 'Deliveries',
    main: html`${activityTabs(deliveriesPath)}${filterForm(visit, { statuses, problem })}${list}${pager}`,
  };
}

const columns = columnsOf({ title: 'Event', detail: 'Buyer', wide: 'To', status: 'When', end: 'Status' });
