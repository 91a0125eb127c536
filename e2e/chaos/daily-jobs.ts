import { platformKey } from '../support/cluster.ts';
import { type Answer, call } from '../support/seller.ts';
import type { Answers } from './answers.ts';
import { again, type Run } from './run.ts';
import type { Shop, World } from './world.ts';

/**
 * What a run may answer in the middle of kills, and why. Everything else in `problems` fails the comparison.
 * - charge_limit: the clock leaps over days, so more falls due at once than on a usual day.
 * - account_failed, books_not_compared, orders_not_compared, reminders_failed: a service or server that the run needs was killed.
 * - outcome_unknown: the same leaps make a renewal without an answer a day old before it is looked up.
 * - orders_differ: an order has a quarter of an hour to follow its payment, and a leap of the clock is longer. What differs
 *   for good is in the books that are compared at the end, and in the last runs.
 */
export const expectedProblems: ReadonlySet<string> = new Set([
  ...['charge_limit', 'account_failed', 'books_not_compared', 'orders_not_compared', 'reminders_failed'],
  ...['outcome_unknown', 'orders_differ'],
]);

/** Daily jobs by each seller and by the platform: one, two at once, three in a second. */
export async function runDailyJobs(run: Run, world: World, answers: Answers): Promise<void> {
  const random = run.random.fork();
  await again(run, async () => {
    const shop = random.chance(0.5) ? random.oneOf(world.shops) : undefined;
    const force = random.chance(0.3);
    const times = random.oneOf([1, 1, 2, 3]);
    // Two at the same moment, three one after the other within a second.
    const gapMs = times === 3 ? 300 : 0;
    const jobs: Promise<unknown>[] = [];
    for (let n = 0; n < times; n++) {
      jobs.push(runDaily(run, world, { shop, force }).then((answer) => noteProblems(answers, answer)));
      await run.pause(gapMs);
    }
    await Promise.all(jobs);
    await run.pause(500 + random.below(2_500));
  });
}

/** @param shop left out: the run over all accounts */
export async function runDaily(
  run: Run,
  { cluster }: World,
  { shop, force, confirms = false }: { shop: Shop | undefined; force: boolean; confirms?: boolean },
): Promise<Answer> {
  const body = { force, ...(confirms && { confirmUnmatchedPayments: true }) };
  const headers = { authorization: `Bearer ${platformKey}` };
  return await run.answered('daily', () =>
    shop === undefined
      ? call(cluster.baseUrl, 'POST', '/api/cron/daily', { body, headers })
      : shop.seller.call('POST', '/api/cron/daily', { body }),
  );
}

export function noteProblems(answers: Answers, { status, json }: Answer): void {
  if (status !== 200) return;
  for (const { code, detail } of json.problems) {
    // Details of expected problems differ from run to run; those of the others are evidence.
    const problem = expectedProblems.has(code) ? code : `${code}: ${detail}`;
    answers.problems.set(problem, (answers.problems.get(problem) ?? 0) + 1);
  }
}
