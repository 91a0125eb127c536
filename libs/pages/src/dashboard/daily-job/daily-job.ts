import { onTo, refusedPage } from '../frame/answers.ts';
import { formKey, refusedForm } from '../frame/forms.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { waiting } from '../frame/waiting.ts';
import { dailyJobPage } from './daily-job-page.ts';
import { dailyJobPath, runPath } from './parts.ts';
import { planPage } from './plan-page.ts';
import { progressOf, runPage } from './run-page.ts';
import { runsPage } from './runs-page.ts';

/** What a page lists of the plan. */
const planned = 20;
/** The run goes on after that, and its page shows how far it is. */
const waitSeconds = 2;

async function readJob(visit: Visit) {
  const [preview, runs] = await Promise.all([
    visit.read('previewDailyRun', { query: { limit: planned } }),
    visit.read('listDailyRuns', { query: { limit: 5 } }),
  ]);
  return { preview, runs: runs.data, nextStartAt: runs.next_start_at };
}

/** GET of what the next run would do, and of the latest ones. */
export async function showDailyJob(visit: Visit): Promise<DashboardPage> {
  return dailyJobPage(visit, Object.assign(await readJob(visit), { problem: null }));
}

/** POST that runs it: the page of the run shows its progress and its result. */
export async function takeDailyJob(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const body = {
    waitSeconds,
    force: sent.has('force'),
    confirmUnmatchedPayments: sent.has('confirmUnmatchedPayments'),
  };
  const kind = `${body.force}.${body.confirmUnmatchedPayments}`;
  const ran = await visit.call('runDailyJob', { body, idempotencyKey: formKey(visit, kind) });
  if (!ran.ok && ran.problem.code !== 'outcome_unknown') {
    const problem = refusedForm(visit, ran.problem, {});
    return refusedPage(dailyJobPage(visit, Object.assign(await readJob(visit), { problem })));
  }
  const { data } = await visit.read('listDailyRuns', { query: { limit: 1 } });
  const [latest] = data;
  return onTo(latest === undefined ? dailyJobPath : runPath(latest.id));
}

/** GET of all that the next run would do. */
export async function showPlan(visit: Visit): Promise<DashboardPage> {
  const after = visit.request.query.get('after');
  const query = after === null ? { limit: planned } : { limit: planned, after };
  return planPage(visit, await visit.read('previewDailyRun', { query }));
}

/** GET of all past runs. */
export async function showRuns(visit: Visit): Promise<DashboardPage> {
  const runs = await visit.read('listDailyRuns', { query: pageQuery(visit) });
  return runsPage({ runs: runs.data, formats: visit.formats, pager: listPager(visit, 'Runs', runs) });
}

/** GET of one run: how far it is while it runs, its result and its books after that. */
export async function showRun(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const run = await visit.read('getDailyRun', { params: { runId: id } });
  const page = runPage(run, visit.formats);
  return run.status === 'running' ? waiting(visit, page, progressOf(run, visit.formats)) : page;
}
