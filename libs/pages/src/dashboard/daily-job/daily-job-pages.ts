import type { Pages } from '../frame/visit.ts';
import { showDailyJob, showPlan, showRun, showRuns, takeDailyJob } from './daily-job.ts';

export const dailyJobPages: Pages = {
  '/app/daily-job': { show: showDailyJob, take: takeDailyJob },
  '/app/daily-job/plan': { show: showPlan },
  '/app/daily-job/runs': { show: showRuns },
  '/app/daily-job/runs/:id': { show: showRun },
};
