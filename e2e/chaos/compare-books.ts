import type { Answers } from './answers.ts';
import { type Books, type Comparison, comparing, readBooks } from './books.ts';
import { compareLedger } from './compare-affiliate.ts';
import { compareAnswers } from './compare-answers.ts';
import { compareMetrics } from './compare-metrics.ts';
import { compareDiscounts, compareHeldOrders, compareOrderLists, compareOrders } from './compare-orders.ts';
import { compareCharges, compareHolds, comparePayments } from './compare-processor.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { compareEvents, compareWebhooks } from './compare-webhooks.ts';
import { expectedProblems } from './daily-jobs.ts';
import { compareDeadLetters } from './dead-letters.ts';
import type { World } from './world.ts';

export interface Compared {
  readonly compared: readonly Comparison[];
  readonly books: Books;
}

/** Each pair of books, line by line. Nothing is under way any more. */
export async function compareBooks(
  world: World,
  answers: Answers,
  count: (what: string, times: number) => void,
): Promise<Compared> {
  const books = await readBooks(world);
  countDone(books, count);
  const compared = [
    comparePayments(books),
    compareCharges(books),
    compareHolds(books, answers),
    compareOrders(books),
    compareHeldOrders(books),
    await compareOrderLists(world, books),
    compareDiscounts(world, books),
    compareSubscriptions(world, books),
    await compareLedger(world, books, answers),
    await compareMetrics(world, books),
    compareEvents(books),
    ...(await compareWebhooks(world, books)),
    ...(await compareAnswers(world, books, answers)),
    compareProblems(books, answers),
    await compareDeadLetters(world),
  ];
  return { compared, books };
}

/** What there is to compare: a run in which nothing was renewed or refunded says little. */
function countDone(
  { payments, holds, subscriptions, orders }: Books,
  count: (what: string, times: number) => void,
): void {
  for (const { step, status } of payments) count(`payments: ${step} ${status}`, 1);
  for (const { status } of holds) count(`holds: ${status}`, 1);
  for (const { status } of subscriptions) count(`subscriptions: ${status}`, 1);
  for (const { source, status } of orders) count(`orders: ${source} ${status}`, 1);
}

/** Codes of notifications about money that does not agree. */
const found: ReadonlySet<string> = new Set(['orphan', 'charging_stopped']);

/** What daily runs found wrong while the actors acted. */
function compareProblems({ events, payments }: Books, { problems, capturedThere, canceledThere }: Answers): Comparison {
  const comparison = comparing('problems of daily runs, those that kills explain');
  for (const [problem, times] of problems) {
    comparison.lines += times;
    // Of each orphan the seller was notified, which is compared below.
    if (!expectedProblems.has(problem) && !problem.startsWith('orphans_found')) comparison.wrong(problem, times);
  }
  const expired = new Set(
    payments.flatMap(({ card, reference }) => (card?.includes('hold_expired') ? [reference] : [])),
  );
  // What the seller was notified of has both sides of each.
  for (const { subject, data } of events) {
    if (subject !== 'evt.billing.daily-run.noticed.v1' || !found.has(String(data.code))) continue;
    // Until its buyer decides, what the seller did to a hold at Stripe itself, a capture or its end, and a hold's expiry stand there alone.
    const [, holdId = ''] = /\(reference (\w+)\//.exec(String(data.summary)) ?? [];
    comparison.lines += 1;
    if (!capturedThere.has(holdId) && !canceledThere.has(holdId) && !expired.has(holdId))
      comparison.wrong(`notified of ${data.code}`, data.summary);
  }
  return comparison;
}
