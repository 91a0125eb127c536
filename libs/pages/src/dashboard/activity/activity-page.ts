import type { RequestOutput } from '@app/contracts/define';
import type { listActivity } from '@app/contracts/webhook-deliveries';
import { money } from '../../components/lines.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { type Row, rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import {
  activityPath,
  activityTabs,
  activityTitle,
  deliveryPath,
  type Filtered,
  filterForm,
  noMatch,
} from './filters.ts';

export type Entry = RequestOutput<typeof listActivity>['data'][number];

const texts = {
  empty:
    'Nothing was sent yet. Add an endpoint, and each sale shows here what came of its webhook. What happened in your shop is under Events.',
  add: 'Add an endpoint',
  none: 'No entry matches.',
  to: 'sent to',
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
    ? noMatch(visit, texts.none)
    : emptyState(texts.empty, html`<p><a href="/app/integrations">${texts.add}</a></p>`);
  const list = items.length > 0 ? rows(items.map((entry) => rowOf(entry, visit.formats))) : problem === null && empty;
  return {
    title: activityTitle,
    main: html`${activityTabs(activityPath)}${filterForm(visit, { statuses, problem })}${list}${pager}`,
  };
}

function rowOf(entry: Entry, formats: Formats): Row {
  const { kind, summary, event, delivery_id, order_id, test } = entry;
  const isNotice = kind === 'notice' || event === null;
  const order = order_id === null ? undefined : `/app/orders/${order_id}`;
  return {
    title: isNotice
      ? html`<bdi>${summary}</bdi>`
      : joined([html`${eventLabel(event)}`, ...aboutEvent(entry, formats)], ' · '),
    detail: html`${when(entry.created_at, formats)}${!isNotice && sentTo(entry)}${outcomeOf(entry)}`,
    end: badge(badges[entry.status][0], badges[entry.status][1]),
    badges: test ? [badge('warn', texts.test)] : [],
    href: delivery_id === null ? order : deliveryPath(delivery_id),
  };
}

/** With whom it happened, with what, and over how much. */
function aboutEvent({ email, product, amount_cents, currency }: Entry, formats: Formats): Html[] {
  const known = [email, product].filter((text) => text).map((text) => html`<bdi>${text}</bdi>`);
  return typeof amount_cents === 'number' && currency
    ? [...known, money(formats.amount(amount_cents, currency))]
    : known;
}

const sentTo = ({ url }: Entry): Html =>
  html`${url !== null && url !== '' && html` · ${texts.to} <bdi>${url.replace('mailto:', '')}</bdi>`}`;

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
