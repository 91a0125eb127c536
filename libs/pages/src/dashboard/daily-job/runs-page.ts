import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { chargedText, dailyJobPath, dailyJobTitle, type Run, runBadge, runPath } from './parts.ts';

const texts = {
  title: 'Runs',
  empty: 'No run yet.',
  charged: (shown: string) => `${shown} charged`,
  declined: (shown: string) => `${shown} declined`,
  retried: (shown: string) => `${shown} tried again`,
  canceled: (shown: string) => `${shown} ended`,
  settled: (shown: string, count: number) => `${shown} held ${count === 1 ? 'order' : 'orders'} settled`,
  sent: (shown: string, count: number) => `${shown} ${count === 1 ? 'reminder' : 'reminders'}`,
  nothing: 'Nothing was due',
} as const;

interface RunsContent extends ListContent {
  readonly runs: readonly Run[];
}

export function runsPage({ runs, formats, pager }: RunsContent): DashboardPage {
  return {
    title: texts.title,
    back: { href: dailyJobPath, label: dailyJobTitle },
    main: runs.length === 0 ? emptyState(texts.empty) : html`${runsTable(runs, formats)}${pager}`,
  };
}

const columns = columnsOf({ title: 'Started', detail: 'What it did', status: 'Status', end: 'Charged' });

export const runsTable = (runs: readonly Run[], formats: Formats): Html =>
  table({
    caption: texts.title,
    columns,
    rows: runs.map((run) => ({
      href: runPath(run.id),
      cells: [
        when(run.started_at, formats),
        doneText(run, formats),
        runBadge(run),
        run.result === null ? '' : chargedText(run.result.chargedByCurrency, formats),
      ],
    })),
  });

/** What a run did, in a line. */
export function doneText({ result }: Pick<Run, 'result'>, formats: Formats): string {
  if (result === null) return '';
  const { rebills, declined = 0, recovery, holdsSettled } = result;
  const counted = [
    [rebills.charged, texts.charged],
    [declined, texts.declined],
    [rebills.retried, texts.retried],
    [rebills.canceled, texts.canceled],
    [holdsSettled, texts.settled],
    [recovery.sent, texts.sent],
  ] as const;
  const parts = counted.filter(([count]) => count > 0).map(([count, text]) => text(formats.count(count), count));
  return parts.length === 0 ? texts.nothing : parts.join(', ');
}
