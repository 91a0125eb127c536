import type { listDailyRuns, previewDailyRun } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import { badge } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import type { Html } from '../../html.ts';

export type Run = RequestOutput<typeof listDailyRuns>['data'][number];
export type Preview = RequestOutput<typeof previewDailyRun>;

export const dailyJobTitle = 'Daily job';
export const dailyJobPath = '/app/daily-job';
export const planPath = `${dailyJobPath}/plan`;
export const runsPath = `${dailyJobPath}/runs`;
export const runPath = (id: string): string => `${runsPath}/${id}`;

type Amounts = readonly { readonly currency: string; readonly cents: number }[];

/** Amounts of several currencies: they have no sum. */
export const amountsText = (amounts: Amounts, formats: Formats): string =>
  amounts.map(({ currency, cents }) => formats.amount(cents, currency)).join(' + ');

/** What a run charged. */
export const chargedText = (byCurrency: Readonly<Record<string, number>>, formats: Formats): string =>
  amountsText(
    Object.entries(byCurrency).map(([currency, cents]) => ({ currency, cents })),
    formats,
  );

export function runBadge({ status, result }: Pick<Run, 'status' | 'result'>): Html {
  if (status === 'running') return badge('info', 'Running');
  if (status === 'interrupted') return badge('warn', 'Interrupted');
  return result?.ok === true ? badge('good', 'Done') : badge('bad', 'Needs you');
}
