import { hourMs } from '@app/contracts/durations';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import type { AccountRun, DailyStep } from '../../runs/daily-step.ts';
import { notifyOfRun } from '../../runs/notify-of-run.ts';
import { mustEnd, untilRefused } from '../../runs/refused-key.ts';
import { readDue } from '../../subscriptions/renewals/due-subscriptions.ts';
import { confirmUnmatched, readUnmatched, unmatchedText } from '../unmatched-payments/unmatched-payments.ts';
import { booksToCompare } from './compare-books.ts';
import { type NotFollowed, readList } from './read-list.ts';

/** Clocks differ, and a processor may record something late. */
const overlapMs = hourMs;

/**
 * A step that charges once the processor's newest payments are compared: a database that was restored from a backup lacks
 * some. Renewals that it lacks are recorded. Another payment of ours that it cannot explain stops the charging of the account
 * until the seller confirms; the run is not `ok`, and the seller is notified once a day. Orders of which something could not be followed are not
 * charged. Where nothing is due nothing is compared.
 */
export function chargeWhenMatched(deps: PaymentDeps, charge: DailyStep): DailyStep {
  return async (stepDeps, run, counts) => {
    // Those that the seller was notified of; what this run finds is new.
    if (run.confirmsUnmatched === true) await confirmUnmatched(deps.database, run.accountId, deps.clock.now());
    if (run.test) return await charge(stepDeps, run, counts);
    const due = await oldestDue(deps, run);
    // What falls due meanwhile waits for the next run, which compares first.
    if (due === undefined) return;
    const { accountId } = run;
    try {
      const waiting = await matchNewest(untilRefused(deps, run), run, due.next_charge_at);
      for (const { orderId } of waiting) run.notCharged.add(orderId);
    } catch (err) {
      deps.logger.warn({ err, accountId }, 'the newest payments of the processor could not be compared');
      counts.problems.push({ code: 'books_not_compared', detail: notComparedText });
      return;
    }
    if (mustEnd(run)) return;
    const unmatched = await readUnmatched(deps.database, accountId);
    if (unmatched === undefined) return await charge(stepDeps, run, counts);
    const detail = unmatchedText(unmatched);
    counts.problems.push({ code: 'charging_stopped', detail });
    const nowMs = run.now().getTime();
    const once = new Date(nowMs).toISOString().slice(0, 10);
    await notifyOfRun(deps, { accountId, code: 'charging_stopped', once, summary: detail, nowMs });
  };
}

const notComparedText =
  'Nothing was charged: the newest payments could not be read from the payment processor’s list. The next run charges what is due.';

async function oldestDue({ database }: PaymentDeps, { accountId, only, now, notCharged }: AccountRun) {
  const scope = { accountId, test: false, now: now(), notCharged, ...(only !== undefined && { only }) };
  return (await readDue(database, scope, { after: null, limit: 1 }))[0];
}

/**
 * What was compared before was matched then.
 * @param dueSince nothing that is due was charged before: there a processor that was never compared begins
 * @returns what could not be followed
 */
export async function matchNewest(
  deps: PaymentDeps,
  { accountId, isClosing }: Pick<AccountRun, 'accountId' | 'isClosing'>,
  dueSince: Date,
): Promise<readonly NotFollowed[]> {
  const notFollowed: NotFollowed[] = [];
  for (const { processor: name, test, since, compared } of await booksToCompare(deps, accountId)) {
    if (test) continue;
    const { processor, ...keys } = await deps.processors.named(name, accountId, false);
    const call = { accountId, ...keys, test: false, isBackground: true, onNotPermitted: () => undefined };
    const at = deps.clock.now();
    // The processor's clock may be ahead.
    const endMs = at.getTime() + overlapMs;
    const fromMs = Math.min(since.getTime(), (compared ? since : dueSince).getTime()) - overlapMs;
    const reading = { accountId, processor: name, test: false, at, from: new Date(fromMs) };
    const read = { endMs, isClosing, keepsExplained: false };
    notFollowed.push(...(await readList(deps, { processor, call }, reading, read)).notFollowed);
  }
  return notFollowed;
}
