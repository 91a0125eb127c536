import type { RequestOutput } from '@app/contracts/define';
import type { listDeliveries } from '@app/contracts/webhook-deliveries';
import type { Problem } from '../../call.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { deliveryBadge, deliveryChoices } from '../frame/delivery-badge.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { activityTabs, activityTitle, deliveriesPath, deliveryPath, filterForm } from './filters.ts';

export type Delivery = RequestOutput<typeof listDeliveries>['data'][number];

const statuses = deliveryChoices(['pending', 'delivered', 'failed', 'held', 'filtered', 'canceled']);

const texts = {
  empty: 'There is no delivery yet: each event makes one for each endpoint and automation that takes it.',
  none: 'No delivery is like this.',
  to: (url: string) => url.replace('mailto:', ''),
} as const;

interface DeliveriesContent {
  readonly deliveries: readonly Delivery[];
  readonly problem: Problem | null;
  readonly pager?: Html;
  readonly isFiltered?: boolean;
}

export function deliveriesPage(visit: Visit, content: DeliveriesContent): DashboardPage {
  const { deliveries, problem, pager, isFiltered = false } = content;
  const rows = deliveries.map((delivery) => ({
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
