import type { Problem } from '../../call.ts';
import { button } from '../../components/button.ts';
import { field, select } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { emptyState, tabs } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { eventChoices } from '../frame/event-names.ts';
import { filterOf, given } from '../frame/filters.ts';
import { fieldSentence } from '../frame/forms.ts';
import { pageQuery } from '../frame/lists.ts';
import type { Visit } from '../frame/visit.ts';

const texts = {
  activity: 'Activity',
  attempts: 'Sent',
  events: 'Events',
  deliveries: 'Deliveries',
  status: 'Status',
  anyStatus: 'Any',
  event: 'Event',
  anyEvent: 'Every event',
  email: 'Buyer’s email',
  narrow: 'Filter',
  of: { endpointId: 'Of one endpoint or automation', orderId: 'Of one order', eventId: 'Of one event' },
  all: 'Show all',
  clear: 'Clear the filters',
} as const;

export const activityTitle = texts.activity;
export const activityPath = '/app/activity';
export const eventsPath = '/app/activity/events';
export const deliveriesPath = '/app/activity/deliveries';
export const deliveryPath = (id: string): string => `${deliveriesPath}/${id}`;

export const activityTabs = (open: typeof activityPath | typeof deliveriesPath | typeof eventsPath): Html =>
  tabs(
    texts.activity,
    [
      { label: texts.attempts, href: activityPath },
      { label: texts.events, href: eventsPath },
      { label: texts.deliveries, href: deliveriesPath },
    ].map((tab) => Object.assign(tab, { isOpen: tab.href === open })),
  );

const names = ['status', 'event', 'email', 'endpointId', 'orderId', 'eventId', 'from', 'to'] as const;
/** Of one thing: set by a link, and kept by the form. */
const kept = ['endpointId', 'orderId', 'eventId', 'from', 'to'] as const;

/** What the address says that the list is of, page by page. A filter that was left empty is none. */
export function filtersOf(visit: Visit) {
  const filters: Record<string, string | undefined> = Object.fromEntries(
    names.map((name) => [name, filterOf(visit, name)]),
  );
  return Object.assign({}, given(filters), pageQuery(visit));
}

export const isFiltered = ({ request }: Visit): boolean => names.some((name) => (request.query.get(name) ?? '') !== '');

/** A page of a list that the address narrows. */
export interface Filtered<Item> {
  readonly items: readonly Item[];
  /** Why there is no list. */
  readonly problem: Problem | null;
  readonly pager?: Html;
  readonly isFiltered?: boolean;
}

interface Filters {
  readonly statuses: readonly (readonly [value: string, label: string])[];
  /** Why there is no list. */
  readonly problem: Problem | null;
}

/** Instead of a list of which the filters leave nothing. */
export const noMatch = ({ path }: Visit, text: string): Html =>
  emptyState(text, html`<p><a href="${path}">${texts.clear}</a></p>`);

/** The filters of a list, which are in its address. */
export function filterForm({ request: { query }, path }: Visit, { statuses, problem }: Filters): Html {
  const value = (name: string) => query.get(name) ?? '';
  const wrong = problem?.errors?.find(({ field: name }) => name === 'email');
  const others = wrong === undefined ? (problem?.detail ?? null) : null;
  const about = Object.entries(texts.of).find(([name]) => value(name) !== '');
  return html`<form class="filters" action="${path}">${kept
    .filter((name) => value(name) !== '')
    .map((name) => html`<input type="hidden" name="${name}" value="${value(name)}">`)}${select({
    name: 'status',
    label: texts.status,
    value: value('status'),
    options: [['', texts.anyStatus], ...statuses],
  })}${select({ name: 'event', label: texts.event, value: value('event'), options: [['', texts.anyEvent], ...eventChoices] })}${field(
    {
      name: 'email',
      label: texts.email,
      value: value('email'),
      type: 'email',
      autocomplete: 'off',
      maxLength: 254,
      error: wrong === undefined ? undefined : fieldSentence(texts.email, wrong.message),
    },
  )}${button({ label: texts.narrow })}</form>${about !== undefined && html`<p class="small">${about[1]}. <a href="${path}">${texts.all}</a></p>`}${
    others !== null && notice('bad', others)
  }`;
}
