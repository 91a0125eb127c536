import { card, facts } from '../../components/card.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { progressBar } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { chargedText, dailyJobPath, type Run, runBadge, runsPath } from './parts.ts';
import { doneText } from './runs-page.ts';

const texts = {
  title: 'A run of the daily job',
  runs: 'Runs',
  interrupted: 'Its process ended before it had a result. What it did stands, and the next run does what it left.',
  begins: 'It begins…',
  progress: (done: string, all: string) => `${done} of ${all} done`,
  result: 'Result',
  charged: 'Renewals charged',
  amount: 'Charged',
  declined: 'Declined',
  retried: 'Tried again',
  ended: 'Subscriptions ended',
  settled: 'Held orders settled',
  reminders: 'Reminders sent',
  recovered: 'Checkouts recovered',
  blocked: 'Wait for an earlier payment',
  waiting: 'Wait for the next run',
  started: 'Started',
  finished: 'Finished',
  books: 'Books',
  booksAgree: 'Your records and the payment processor’s agree.',
  booksDiffer: (count: string) => `${count} entries stand on one side only.`,
  booksFrom: 'Compared from',
  booksUntil: 'Until',
  charges: 'Charges on both sides',
  refunds: 'Refunds on both sides',
  holds: 'Holds on both sides',
  fees: 'Fees of the payment processor',
  noBooks: 'The books were not compared.',
  orphans: 'On one side only',
  sides: { processor: 'Only at the payment processor', platform: 'Only in your records' },
  kinds: { charge: 'Charge', refund: 'Refund', hold: 'Hold' },
  decide: 'Open the daily job',
} as const;

/** How far a run is. */
export function progressOf({ progress }: Pick<Run, 'progress'>, formats: Formats): Html {
  if (progress === null) return progressBar(texts.begins, 0, null);
  const all = progress.done + progress.left;
  return progressBar(texts.progress(formats.count(progress.done), formats.count(all)), progress.done, Math.max(1, all));
}

export function runPage(run: Run, formats: Formats): DashboardPage {
  const { status, result, books, started_at, finished_at } = run;
  const times = facts([
    [texts.started, when(started_at, formats)],
    ...(finished_at === null ? [] : [[texts.finished, when(finished_at, formats)] as const]),
  ]);
  return {
    title: texts.title,
    back: { href: runsPath, label: texts.runs },
    about: runBadge(run),
    main: html`${status === 'interrupted' && notice('warn', texts.interrupted)}${problemsOf(run)}${card(
      result === null ? texts.title : doneText(run, formats),
      html`${result !== null && runResult(result, formats)}${times}`,
    )}${status === 'finished' && card(texts.books, books === null ? html`<p>${texts.noBooks}</p>` : booksOf(books, formats))}`,
  };
}

/** A run that was stopped by a limit is decided on beside the plan. */
function problemsOf({ result }: Run): Html {
  const stops = ['charge_limit', 'charging_stopped', 'orphans_found'];
  return html`${(result?.problems ?? []).map(({ code, detail }) =>
    notice('bad', detail, stops.includes(code) ? html`<a href="${dailyJobPath}">${texts.decide}</a>` : undefined),
  )}`;
}

function runResult(result: NonNullable<Run['result']>, formats: Formats): Html {
  const { rebills, declined = 0, recovery, holdsSettled, chargedByCurrency, blocked, waiting } = result;
  const counted = (name: string, count: number) => (count === 0 ? [] : [[name, formats.count(count)] as const]);
  const charged = chargedText(chargedByCurrency, formats);
  return facts([
    [texts.charged, formats.count(rebills.charged)],
    ...(charged === '' ? [] : [[texts.amount, charged] as const]),
    ...counted(texts.declined, declined),
    ...counted(texts.retried, rebills.retried),
    ...counted(texts.ended, rebills.canceled),
    ...counted(texts.settled, holdsSettled),
    ...counted(texts.reminders, recovery.sent),
    ...counted(texts.recovered, recovery.recovered),
    ...counted(texts.blocked, blocked),
    ...counted(texts.waiting, waiting),
  ]);
}

function booksOf(books: NonNullable<Run['books']>, formats: Formats): Html {
  const { compared_from, compared_until, charges, refunds, holds, orphans, orphan_count, fees = [] } = books;
  const kept = fees.map(({ amount_cents, currency }) => formats.amount(amount_cents, currency)).join(', ');
  const known = facts([
    [texts.booksFrom, when(compared_from, formats)],
    [texts.booksUntil, when(compared_until, formats)],
    [texts.charges, formats.count(charges)],
    [texts.refunds, formats.count(refunds)],
    [texts.holds, formats.count(holds)],
    ...(kept === '' ? [] : [[texts.fees, kept] as const]),
  ]);
  const said =
    orphan_count === 0
      ? notice('good', texts.booksAgree)
      : notice('bad', texts.booksDiffer(formats.count(orphan_count)));
  return html`${said}${known}${orphans.length > 0 && orphansOf(orphans, formats)}`;
}

const orphansOf = (orphans: NonNullable<Run['books']>['orphans'], formats: Formats): Html =>
  table({
    caption: texts.orphans,
    columns: columnsOf({ title: 'What', detail: 'What to do', wide: 'Reference', status: 'Where', end: 'Amount' }),
    rows: orphans.map(({ side, kind, id, amount_cents, currency, detail }) => ({
      cells: [
        texts.kinds[kind],
        detail,
        html`<bdi>${id}</bdi>`,
        texts.sides[side],
        money(formats.amount(amount_cents, currency)),
      ],
    })),
  });
