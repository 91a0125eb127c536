import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { notice } from '../../components/notice.ts';
import { codeSample, emptyState, stats } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { amountsText, dailyJobTitle, type Preview, planPath, type Run, runPath, runsPath } from './parts.ts';
import { planTable } from './plan-page.ts';
import { runsTable } from './runs-page.ts';

const texts = {
  about:
    'Once a day it charges renewals, tries declined cards again, settles held orders and reminds of checkouts that were left.',
  byItself: 'It runs by itself, next',
  renewals: 'Renewals',
  retries: 'Failed renewals again',
  settlements: 'Held orders',
  reminders: 'Reminders',
  ends: 'Subscriptions that end',
  lookUps: 'Payments to look up',
  plan: 'What the next run would do',
  nothing: 'Nothing is due now. A run that finds nothing does no harm.',
  all: 'All of it',
  run: 'Run it now',
  runFor: (amount: string) => `Charge ${amount} now`,
  runs: 'Latest runs',
  allRuns: 'All runs',
  running: 'A run is under way.',
  seeRun: 'See how far it is',
  busy: 'Running…',
  nextDay: 'Of each subscription one period at most is charged on a day, so a second run charges no buyer twice.',
  stopped: (count: string) =>
    `Nothing is charged: the payment processor shows ${count} payments of yours that your records do not have, as after a restored backup. Look them up at the processor, then confirm.`,
  limited: (amount: string, count: string) =>
    `More is due than is normal. A run charges the longest due first, up to the limit; ${count} charges of ${amount} wait for the next run.`,
  options: 'Before it runs',
  force: 'Charge all of it, also beyond the limit',
  confirm: 'I have looked up the payments: go on charging',
  schedule: 'Let it run by itself',
  scheduleText: 'No run yet. This line for a scheduler (cron) runs it each day at six, with a key that may move money.',
  makeKey: 'Make the key',
  line: 'Line for the scheduler',
} as const;

interface DailyJobContent {
  readonly preview: Preview;
  readonly runs: readonly Run[];
  /** When the deployment runs it next by itself; null where it does not. */
  readonly nextStartAt: string | null;
  readonly problem: FormState | null;
}

export function dailyJobPage(visit: Visit, { preview, runs, nextStartAt, problem }: DailyJobContent): DashboardPage {
  const { formats } = visit;
  const running = runs.find(({ status }) => status === 'running');
  return {
    title: dailyJobTitle,
    main: html`<p>${texts.about}${nextStartAt !== null && html` ${texts.byItself} ${when(nextStartAt, formats)}.`}</p>${
      running === undefined
        ? html`${warningsOf(visit, preview)}${runForm(visit, preview, problem)}`
        : notice('info', texts.running, html`<a href="${runPath(running.id)}">${texts.seeRun}</a>`)
    }<section class="stack"><h2>${texts.plan}</h2>${planOf(visit, preview)}</section>${
      runs.length === 0
        ? nextStartAt === null && schedule(visit)
        : html`<section class="stack tight"><h2>${texts.runs}</h2>${runsTable(runs, formats)}<p class="small"><a href="${runsPath}">${texts.allRuns}</a></p></section>`
    }`,
  };
}

/** What is charged in any case, of each currency; a look-up may charge too, and says so in the plan. */
function chargedBy({
  totals,
  charge_limit,
}: Preview): readonly { readonly currency: string; readonly cents: number }[] {
  const sums = new Map<string, number>();
  for (const { amounts } of [totals.renewals, totals.retries, totals.settlements])
    for (const { currency, cents } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + cents);
  for (const { currency, waiting_cents } of charge_limit.currencies)
    if (sums.has(currency)) sums.set(currency, (sums.get(currency) ?? 0) - waiting_cents);
  return [...sums].filter(([, cents]) => cents > 0).map(([currency, cents]) => ({ currency, cents }));
}

function warningsOf({ formats }: Visit, { charge_limit, unmatched_payments }: Preview): Html {
  const over = charge_limit.currencies.filter(({ exceeded }) => exceeded);
  const waiting = over.reduce((sum, { waiting_count }) => sum + waiting_count, 0);
  const amount = amountsText(
    over.map(({ currency, waiting_cents }) => ({ currency, cents: waiting_cents })),
    formats,
  );
  return html`${unmatched_payments > 0 && notice('bad', texts.stopped(formats.count(unmatched_payments)))}${
    over.length > 0 && notice('warn', texts.limited(amount, formats.count(waiting)))
  }`;
}

function runForm(visit: Visit, preview: Preview, problem: FormState | null): Html {
  const { charge_limit, unmatched_payments } = preview;
  const options = [
    ...(unmatched_payments > 0 ? [{ name: 'confirmUnmatchedPayments', label: texts.confirm }] : []),
    ...(charge_limit.exceeded ? [{ name: 'force', label: texts.force }] : []),
  ];
  const boxes = choices({
    legend: texts.options,
    name: 'before',
    kind: 'checkbox',
    choices: options.map(({ name, label }) => ({ name, label, value: '1', isChosen: false })),
  });
  // What waits for a confirmation is not promised.
  const amount = unmatched_payments > 0 ? '' : amountsText(chargedBy(preview), visit.formats);
  return form(visit, {
    content: html`<p class="small quiet">${texts.nextDay}</p>${options.length > 0 && boxes}`,
    buttons: button({ label: amount === '' ? texts.run : texts.runFor(amount), busyLabel: texts.busy, kind: 'accent' }),
    ...(problem !== null && { state: problem }),
  });
}

function planOf({ formats }: Visit, { totals, data, next }: Preview): Html {
  if (data.length === 0) return emptyState(texts.nothing);
  const { renewals, retries, settlements, reminders, cancellations, look_ups, look_up_amounts } = totals;
  const counted = (label: string, count: number, amounts: string) =>
    count === 0 ? [] : [{ label, value: formats.count(count), since: amounts === '' ? undefined : amounts }];
  const numbers = stats([
    ...counted(texts.renewals, renewals.count, amountsText(renewals.amounts, formats)),
    ...counted(texts.retries, retries.count, amountsText(retries.amounts, formats)),
    ...counted(texts.settlements, settlements.count, amountsText(settlements.amounts, formats)),
    ...counted(texts.lookUps, look_ups, amountsText(look_up_amounts, formats)),
    ...counted(texts.ends, cancellations, ''),
    ...counted(texts.reminders, reminders, ''),
  ]);
  return html`${numbers}${planTable(data, formats)}${next !== null && html`<p class="small"><a href="${planPath}">${texts.all}</a></p>`}`;
}

function schedule({ request: { baseUrl } }: Visit): Html {
  const line = `0 6 * * * curl -fsS -X POST ${baseUrl}/api/cron/daily -H "Authorization: Bearer fnl_…"`;
  const key = new URLSearchParams([
    ['name', 'Daily job'],
    ['scopes', 'money'],
  ]);
  return html`<section class="stack"><h2>${texts.schedule}</h2><p>${texts.scheduleText} <a href="/app/integrations/keys/new?${key.toString()}">${texts.makeKey}</a>.</p>${codeSample(texts.line, line, 'line')}</section>`;
}
