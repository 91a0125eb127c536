import { hourMs } from '@app/contracts/durations';
import type { Body, Visit } from '../frame/visit.ts';

/** Something that a new account does once. */
export interface Step {
  readonly label: string;
  readonly href: string;
  readonly isDone: boolean;
}

/** A daily job that ran longer ago is overdue: a schedule that starts late has two hours. */
const dailyWithinMs = 26 * hourMs;

/** The first steps of an account, ticked off from what is there. @param numbers of the last 30 days, as the page reads them */
export async function firstSteps(visit: Visit, numbers: Promise<Body<'getOverview'>>): Promise<readonly Step[]> {
  const [account, overview, orders, products, tests, endpoints, runs] = await Promise.all([
    visit.account(),
    numbers,
    visit.read('listOrders', { query: { limit: 1 } }),
    visit.read('listProducts', { query: { limit: 100 } }),
    visit.read('listTestOrders', { query: { limit: 1 } }),
    visit.read('listWebhookEndpoints', {}),
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
      // One who bought came before those of the last 30 days.
      isDone: overview.visits.current.views > 0 || orders.data.length > 0,
    },
    { label: 'Send sales to another tool (optional)', href: '/app/integrations', isDone: endpoints.data.length > 0 },
    {
      label: 'Let renewals and reminders run by themselves',
      href: '/app/daily-job',
      isDone: sinceRunMs < dailyWithinMs,
    },
  ];
}
