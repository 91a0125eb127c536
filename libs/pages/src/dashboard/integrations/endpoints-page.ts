import { linkButton } from '../../components/button.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { eventLabel } from '../frame/event-names.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Endpoint, endpointPath, integrationTabs, integrationTitles, webhooksPath } from './parts.ts';

const texts = {
  add: 'Add an endpoint',
  empty:
    'A webhook brings each sale, refund and renewal to a URL of yours, signed, as soon as it happens. Events are kept until you add one.',
  url: 'URL',
  events: 'Events',
  held: 'Held',
  state: 'State',
  every: 'Every event',
  some: (first: string, others: number) => (others === 0 ? first : `${first} and ${others} more`),
  recoveries: 'Recoveries',
  recoveriesText: 'What was sent again, and how far it is',
  guide: 'How to receive webhooks',
} as const;

interface EndpointsContent {
  readonly endpoints: readonly Endpoint[];
  readonly formats: Formats;
}

/** The first tab of the integrations. */
export function endpointsPage({ endpoints, formats }: EndpointsContent): DashboardPage {
  const add = linkButton({ label: texts.add, href: `${webhooksPath}/webhooks/new`, kind: 'accent' });
  if (endpoints.length === 0) {
    const main = html`${integrationTabs(webhooksPath)}${emptyState(texts.empty, add)}${links()}`;
    return { ...integrationTitles(webhooksPath), main };
  }
  const rows = endpoints.map((endpoint) => ({
    href: endpointPath(endpoint.id),
    cells: [
      html`<bdi>${endpoint.description === '' ? endpoint.url : endpoint.description}</bdi>`,
      html`<bdi>${endpoint.url}</bdi>`,
      eventsOf(endpoint),
      heldOf(endpoint, formats),
      endpointBadge(endpoint),
    ],
  }));
  const list = table({ caption: 'Endpoints', columns, rows });
  return {
    ...integrationTitles(webhooksPath),
    action: add,
    main: html`${integrationTabs(webhooksPath)}${list}${links()}`,
  };
}

const columns = columnsOf({
  title: 'Endpoint',
  wide: texts.url,
  detail: texts.events,
  status: texts.held,
  end: texts.state,
});

const links = (): Html =>
  html`<p class="small"><a href="${webhooksPath}/recoveries">${texts.recoveries}</a>: ${texts.recoveriesText}. <a href="/developers/webhooks">${texts.guide}</a>.</p>`;

function eventsOf({ events }: Pick<Endpoint, 'events'>): string {
  if (events === null) return texts.every;
  return texts.some(eventLabel(events[0] ?? ''), events.length - 1);
}

const heldOf = ({ held }: Endpoint, formats: Formats): string =>
  held.count === 0 ? '' : `${formats.count(held.count)}${held.more ? '+' : ''} held`;

type EndpointState = Pick<Endpoint, 'active' | 'switched_off' | 'failing_since'>;

/** Whether it gets what happens, in one or two words. */
export function endpointBadge({ active, switched_off, failing_since }: EndpointState): Html {
  if (active) return failing_since === null ? badge('good', 'On') : badge('bad', 'Failing');
  return switched_off?.reason === 'seller' ? badge('none', 'Off') : badge('bad', 'Switched off');
}
