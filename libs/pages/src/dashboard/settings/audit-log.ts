import { type AuditEntry, auditKinds } from '@app/contracts/audit';
import { browserName } from '@app/contracts/user-agent';
import { select } from '../../components/field.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { choiceOf, filtersForm } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { kindLabels, operationLabels, refusalLabels } from './audit-log.texts.ts';
import { auditLogPath, settingsPage } from './settings-page.ts';

const texts = {
  title: 'Audit log',
  about: 'Who did what in your account, from where. Kept for 13 months.',
  kind: 'Show',
  all: 'Everything',
  none: 'Nothing of this kind was done yet.',
  what: 'What',
  who: 'Who',
  from: 'From',
  outcome: 'Outcome',
  time: 'Time',
  done: 'Done',
  refused: 'Refused',
  unknown: 'Not known',
  key: (name: string) => `Key “${name}”`,
  times: (count: number) => `${count} times`,
  link: 'Link from an email',
  anonymous: 'Someone who was not logged in',
  operator: 'Who runs this deployment',
  noAddress: '–',
} as const;

/** GET of who did what, newest first. */
export async function showAuditLog(visit: Visit): Promise<DashboardPage> {
  const kind = choiceOf(visit, 'kind', auditKinds);
  const list = await visit.read('listAuditEntries', {
    query: Object.assign(kind === undefined ? {} : { kind }, pageQuery(visit)),
  });
  const pager = listPager(visit, 'Pages of the audit log', list);
  return settingsPage(auditLogPath, auditLogContent({ entries: list.data, kind, pager, formats: visit.formats }), null);
}

interface AuditLogContent {
  readonly entries: readonly AuditEntry[];
  readonly kind: AuditEntry['kind'] | undefined;
  readonly pager: Html;
  readonly formats: Formats;
}

export function auditLogContent({ entries, kind, pager, formats }: AuditLogContent): Html {
  const kinds = auditKinds.map((each) => [each, kindLabels[each]] as const);
  const fields = select({
    name: 'kind',
    label: texts.kind,
    value: kind ?? '',
    options: [['', texts.all], ...kinds],
  });
  const filters = filtersForm({ label: texts.title, path: auditLogPath, fields, isNarrowed: kind !== undefined });
  const list =
    entries.length === 0
      ? emptyState(texts.none)
      : table({
          caption: texts.title,
          columns: columnsOf({
            title: texts.what,
            detail: [texts.who, texts.from],
            status: texts.outcome,
            end: texts.time,
          }),
          rows: entries.map((entry) => ({ cells: cellsOf(entry, formats) })),
        });
  return html`<p class="quiet">${texts.about}</p>${filters}${list}${pager}`;
}

function cellsOf(entry: AuditEntry, formats: Formats): Html[] {
  const { operation, object_id, count, address, user_agent, last_at } = entry;
  const browser = browserName(user_agent) ?? user_agent;
  return [
    html`${operationLabels[operation] ?? operation}${count > 1 && ` · ${texts.times(count)}`}${object_id !== null && html` <code class="small">${object_id}</code>`}`,
    html`<bdi>${whoOf(entry)}</bdi>`,
    html`${address ?? texts.noAddress}${browser !== null && html` · <bdi>${browser}</bdi>`}`,
    outcomeOf(entry),
    when(last_at, formats),
  ];
}

function whoOf({ actor: { kind, name } }: AuditEntry): string {
  if (kind === 'key') return texts.key(name ?? '');
  if (kind === 'session') return name ?? '';
  return texts[kind];
}

function outcomeOf({ outcome, code }: AuditEntry): Html {
  if (outcome === 'done') return badge('good', texts.done);
  if (outcome === 'unknown') return badge('warn', texts.unknown);
  return html`${badge('bad', texts.refused)} <span class="small">${refusalLabels[code ?? ''] ?? code}</span>`;
}
