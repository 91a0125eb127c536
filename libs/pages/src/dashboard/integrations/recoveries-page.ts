import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { badge } from '../../components/notice.ts';
import { emptyState, progressBar } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import {
  type Endpoint,
  endpointPath,
  hostOf,
  integrationsTitle,
  type Recovery,
  recoveryPath,
  webhooksPath,
} from './parts.ts';

const texts = {
  title: 'Recoveries',
  empty: 'Nothing was sent again yet. After a receiver was broken, open its endpoint and send what it missed.',
  removed: 'An endpoint that was removed',
  kinds: { recover: 'Sent again', held: 'Held events sent' },
  which: { failed: 'What did not arrive', all: 'Everything', orders: 'Orders, refunds and upsells' },
  counting: 'Counting…',
  progress: (queued: string, total: string) => `${queued} of ${total} handed to the sender`,
  stop: 'Stop sending',
  stopping: 'Stopping…',
  stopText: 'What was enqueued is sent all the same. What was held stays held.',
  endpoint: 'Endpoint',
  events: 'Events',
  since: 'Since',
  until: 'Until',
  from: 'From the first that is kept',
  total: 'Deliveries',
  delivered: 'Delivered',
  failed: 'Given up again',
  started: 'Started',
  ended: 'Ended',
  rate: 'At most',
  aSecond: (count: number) => `${count} a second`,
  result: 'Result',
} as const;

interface RecoveriesContent extends ListContent {
  readonly recoveries: readonly Recovery[];
  readonly endpoints: readonly Endpoint[];
}

export function recoveriesPage({ recoveries, endpoints, formats, pager }: RecoveriesContent): DashboardPage {
  const back = { href: webhooksPath, label: integrationsTitle };
  if (recoveries.length === 0) return { title: texts.title, back, main: emptyState(texts.empty) };
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  const rows = recoveries.map((recovery) => ({
    href: recoveryPath(recovery.id),
    cells: [
      html`<bdi>${urls.get(recovery.endpoint_id) ?? texts.removed}</bdi>`,
      texts.kinds[recovery.kind],
      when(recovery.created_at, formats),
      recoveryBadge(recovery),
      html`${recovery.total === null ? '' : formats.count(recovery.total)}`,
    ],
  }));
  return { title: texts.title, back, main: html`${table({ caption: texts.title, columns, rows })}${pager}` };
}

const columns = columnsOf({
  title: texts.endpoint,
  wide: 'Kind',
  detail: texts.started,
  status: 'Status',
  end: texts.total,
});

const badges = {
  running: ['info', 'Under way'],
  done: ['good', 'Done'],
  canceled: ['none', 'Stopped'],
} as const;
const recoveryBadge = ({ status }: Pick<Recovery, 'status'>): Html => badge(badges[status][0], badges[status][1]);

/** How far one that is under way is. */
export const progressOf = ({ queued, total }: Recovery, formats: Formats): Html =>
  progressBar(
    total === null ? texts.counting : texts.progress(formats.count(queued), formats.count(total)),
    queued,
    total,
  );

interface RecoveryContent {
  readonly recovery: Recovery;
  /** Undefined when it was removed. */
  readonly endpoint: Endpoint | undefined;
  readonly problem: FormState | null;
}

export function recoveryPage(visit: Visit, { recovery, endpoint, problem }: RecoveryContent): DashboardPage {
  const { formats } = visit;
  const { status, kind, which, since, until, total, delivered, failed, per_second, created_at, finished_at } = recovery;
  const name =
    endpoint === undefined
      ? html`${texts.removed}`
      : html`<a href="${endpointPath(endpoint.id)}"><bdi>${endpoint.url}</bdi></a>`;
  const known = facts([
    [texts.endpoint, name],
    [texts.events, texts.which[which]],
    [texts.since, since === null ? texts.from : when(since, formats)],
    [texts.until, when(until, formats)],
    [texts.total, total === null ? texts.counting : formats.count(total)],
    [texts.delivered, formats.count(delivered)],
    [texts.failed, formats.count(failed)],
    [texts.started, when(created_at, formats)],
    finished_at === null ? [texts.rate, texts.aSecond(per_second)] : [texts.ended, when(finished_at, formats)],
  ]);
  const stop = () =>
    form(visit, {
      action: visit.path,
      content: html`<p class="small quiet">${texts.stopText}</p>`,
      buttons: button({ label: texts.stop, busyLabel: texts.stopping, kind: 'danger' }),
      ...(problem !== null && { state: problem }),
    });
  return {
    title: `${texts.kinds[kind]}${endpoint === undefined ? '' : `: ${hostOf(endpoint.url)}`}`,
    back: { href: `${webhooksPath}/recoveries`, label: texts.title },
    about: recoveryBadge(recovery),
    main: html`${card(texts.result, known)}${status === 'running' && stop()}`,
  };
}
