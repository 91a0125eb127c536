import { hourMs } from '@app/contracts/durations';
import type { Visit } from '../frame/visit.ts';
import type { HomeReads } from './reads.ts';

/** Something that a new account does once. */
export interface Step {
  readonly label: string;
  readonly href: string;
  readonly isDone: boolean;
}

/** A daily job that ran longer ago is overdue: a schedule that starts late has two hours. */
const dailyWithinMs = 26 * hourMs;

/** The first steps of an account, ticked off from what is there. */
export async function firstSteps(visit: Visit, reads: HomeReads): Promise<readonly Step[]> {
  const [account, hasVisitor, products, tests, endpoints, runs] = await Promise.all([
    visit.account(),
    hadVisitor(visit, reads),
    reads.products,
    visit.read('listTestOrders', { query: { limit: 1 } }),
    reads.endpoints,
    visit.read('listDailyRuns', { query: { limit: 1 } }),
  ]);
  const [run] = runs.data;
  const sinceRunMs =
    run === undefined ? Number.POSITIVE_INFINITY : Date.parse(visit.request.now) - Date.parse(run.started_at);
  return [
    { label: 'Confirm your email address', href: '/app/settings/account', isDone: account.emailVerified },
    {
      label: 'Make a product and set it live',
      href: '/app/products',
      isDone: products.data.some(({ status }) => status === 'live'),
    },
    {
      label: 'Choose how buyers pay',
      href: '/app/settings/payments',
      isDone: account.processor !== null && account.processor !== 'none',
    },
    { label: 'Buy it yourself in test mode', href: '/app/settings/test-mode', isDone: tests.data.length > 0 },
    {
      label: 'Share the link and get a first visitor',
      href: '/app/products',
      isDone: hasVisitor,
    },
    { label: 'Send sales to another tool (optional)', href: '/app/integrations', isDone: endpoints.data.length > 0 },
    {
      label: 'Let renewals and reminders run by themselves',
      href: '/app/daily-job',
      // A deployment that runs it by itself needs nobody to.
      isDone: runs.next_start_at != null || sinceRunMs < dailyWithinMs,
    },
  ];
}

/** One who bought was a visitor; else one of the last 30 days is, whatever span is shown. */
async function hadVisitor(visit: Visit, { range, numbers, orders }: HomeReads): Promise<boolean> {
  if ((await orders).data.length > 0) return true;
  const { visits } = await (range === '30d' ? numbers : visit.read('getOverview', { query: { limit: 1 } }));
  return visits.current.views > 0;
}
