import type { RequestOutput } from '@app/contracts/define';
import type { listDeliveries } from '@app/contracts/webhook-deliveries';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { deliveryBadge } from '../frame/delivery-badge.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { Visit } from '../frame/visit.ts';

export type Delivery = RequestOutput<typeof listDeliveries>['data'][number];

const texts = {
  latest: 'Latest deliveries',
  all: 'All its deliveries',
} as const;

const shown = 5;

/** What an endpoint or an automation was to send last. @param id of the endpoint or the automation */
export async function readLatest(visit: Visit, id: string): Promise<readonly Delivery[]> {
  return (await visit.read('listWebhookDeliveries', { query: { endpointId: id, limit: shown } })).data;
}

interface Latest {
  /** Of the endpoint or the automation. */
  readonly id: string;
  readonly deliveries: readonly Delivery[];
  readonly formats: Formats;
  /** Instead of the list while there is none. */
  readonly empty: Html;
}

/** What was sent last, and what came of it. */
export function latestDeliveries({ id, deliveries, formats, empty }: Latest): Html {
  const rows = deliveries.map((delivery) => ({
    href: `/app/activity/deliveries/${delivery.id}`,
    cells: [
      eventLabel(delivery.event),
      when(delivery.created_at, formats),
      html`<bdi>${delivery.email}</bdi>`,
      deliveryBadge(delivery),
    ],
  }));
  const list = html`${table({ caption: texts.latest, columns, rows })}<p class="small"><a href="/app/activity/deliveries?endpointId=${id}">${texts.all}</a></p>`;
  return html`<section class="stack tight"><h2>${texts.latest}</h2>${deliveries.length === 0 ? empty : list}</section>`;
}

const columns = columnsOf({ title: 'Event', detail: 'When', wide: 'Buyer', end: 'Status' });
