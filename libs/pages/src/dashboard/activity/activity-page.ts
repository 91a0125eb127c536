import type { RequestOutput } from '@app/contracts/define';
import type { listActivity } from '@app/contracts/webhook-deliveries';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { type Row, rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { activityPath, activityTabs, activityTitle, deliveryPath, type Filtered, filterForm } from './filters.ts';

export type Entry = RequestOutput<typeof listActivity>['data'][number];

const texts = {
  empty: 'Nothing was sent yet. Add an endpoint, and each sale shows here what came of its webhook.',
  add: 'Add an endpoint',
  none: 'No entry matches. Clear the filters.',
  to: 'to',
  attempt: (number: number) => `attempt ${number}`,
  answered: (code: number) => `answered ${code}`,
  test: 'Test',
} as const;

const badges = {
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
  notice: ['info', 'Notice'],
} as const;
const statuses = Object.entries(badges).map(([status, [, label]]) => [status, label] as const);

export function activityPage(
  visit: Visit,
  { items, problem, pager, isFiltered = false }: Filtered<Entry>,
): DashboardPage {
  const empty = isFiltered
    ? emptyState(texts.none)
    : emptyState(texts.empty, html`<p><a href="/app/integrations">${texts.add}</a></p>`);
  const list = items.length > 0 ? rows(items.map((entry) => rowOf(entry, visit.formats))) : problem === null && empty;
  return {
    title: activityTitle,
    main: html`${activityTabs(activityPath)}${filterForm(visit, { statuses, problem })}${list}${pager}`,
  };
}

function rowOf(entry: Entry, formats: Formats): Row {
  const { kind, summary, event, url, delivery_id, order_id, test } = entry;
  const isNotice = kind === 'notice' || event === null;
  const order = order_id === null ? undefined : `/app/orders/${order_id}`;
  return {
    title: isNotice
      ? html`<bdi>${summary}</bdi>`
      : html`${eventLabel(event)} ${texts.to} <bdi>${(url ?? '').replace('mailto:', '')}</bdi>`,
    detail: html`${when(entry.created_at, formats)}${outcomeOf(entry)}`,
    end: badge(badges[entry.status][0], badges[entry.status][1]),
    badges: test ? [badge('warn', texts.test)] : [],
    href: delivery_id === null ? order : deliveryPath(delivery_id),
  };
}

/** What was wrong, or else what was answered. */
function outcomeOf({ attempt, status_code, diagnosis, error }: Entry): Html {
  if (diagnosis !== null) return html` · <bdi>${diagnosis.explanation}</bdi>`;
  if (error !== null) return html` · <bdi>${error}</bdi>`;
  const said = [
    attempt !== null && attempt > 1 ? texts.attempt(attempt) : '',
    status_code === null ? '' : texts.answered(status_code),
  ].filter((part) => part !== '');
  return html`${said.length > 0 && ` · ${said.join(', ')}`}`;
}
