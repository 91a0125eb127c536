import { dayMs } from '@app/contracts/durations';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { DailyCounts } from '../runs/daily-counts.rules.ts';
import type { AccountRun } from '../runs/daily-step.ts';
import { type DisputeScope, openDisputes } from './dispute-rows.ts';
import { recordDispute } from './record-dispute.ts';

const notReadText =
  'Open disputes could not be read from the payment processor. The next run reads them again; the processor shows how they stand.';

/** Banks reverse lost disputes within weeks; Visa's arbitration ends within 70 days. */
const reversedWithinMs = 90 * dayMs;

/**
 * Reads every open dispute of an account anew, live and rehearsed: a processor lists a dispute at the time when it was opened, and
 * without webhooks nothing else says how it goes on. So are those that were lost lately, because the bank may reverse them. One that cannot be read keeps no other back.
 */
export async function followDisputes(deps: PaymentDeps, run: AccountRun, counts: DailyCounts): Promise<void> {
  // Days of a rehearsal pass in seconds: its disputes are read by the account's own runs.
  if (run.test) return;
  const { accountId } = run;
  const lostSince = new Date(deps.clock.nowMs() - reversedWithinMs);
  let failed = false;
  for await (const { processor, test, reference } of openDisputes(deps.database, accountId, lostSince)) {
    if (run.isClosing()) return;
    try {
      await readAnew(deps, { accountId, processor, test }, reference);
    } catch (err) {
      failed = true;
      deps.logger.warn({ err, accountId, reference }, 'a dispute could not be read from the processor');
    }
  }
  if (failed) counts.problems.push({ code: 'books_not_compared', detail: notReadText });
}

/**
 * Reads a dispute from its processor and records it.
 * @returns `other` where it is not of the account's payments, `unknown` where its charge is not recorded here
 * @throws what the adapter throws
 */
export async function readAnew(
  deps: PaymentDeps,
  scope: DisputeScope,
  reference: string,
): Promise<'recorded' | 'unknown' | 'other'> {
  const { accountId, processor: name, test } = scope;
  const { processor, ...keys } = await deps.processors.named(name, accountId, test);
  const read = await deps.processorCalls.make((signal, untimed) =>
    processor.readDispute(reference, { accountId, ...keys, test, signal, untimed, isBackground: true }),
  );
  if (read === null) return 'other';
  return (await recordDispute(deps, scope, read)) ? 'recorded' : 'unknown';
}
