import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idSuffixOf, newIdSuffix } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { newKeyRefusal } from '../processors/key-refusal.ts';
import { addAmounts, type DailyCounts, noCounts } from '../runs/daily-counts.rules.ts';
import type { AccountRun, DailyStep } from '../runs/daily-step.ts';
import { rehearsalTime } from '../runs/rehearsal-time.ts';
import {
  beginRehearsal,
  commitDay,
  keepLease,
  type Rehearsal,
  type RehearsalDone,
  type RehearsalResult,
} from './rehearsal-rows.ts';

export interface RehearsalDeps extends PaymentDeps {
  /** Of a day, in their order; see `rehearsal-steps.ts`. */
  readonly rehearsalSteps: readonly DailyStep[];
  readonly isClosing: () => boolean;
}

interface Requested {
  readonly accountId: string;
  readonly commandId: string;
  readonly days: number;
  /** Milliseconds since the epoch (real time); no caller waits any longer then. */
  readonly deadlineMs: number;
}

const pollMs = 100;
const renewLeaseEveryMs = 3_000;
/** Arithmetic on months goes wrong far beyond. */
const yearMax = 2200;

/**
 * Moves the time of the account's rehearsals, a day at a time, and runs each day's job for its test subscriptions. Live ones
 * are not checked. A day is the unit of what is done: a process that dies leaves the clock at a day's beginning, with
 * perhaps a part of the day's job done, and the repeated command goes on to the requested day.
 *
 * One at a time for each account. A second one waits, until the deadline.
 * @throws DomainError outcome_unknown when there is no result by then, invalid_transition when another command is under
 * way, validation_failed for a time out of reach
 */
export async function advanceRehearsal(deps: RehearsalDeps, requested: Requested): Promise<RehearsalResult> {
  const { accountId, commandId, days, deadlineMs } = requested;
  const rehearsal = { accountId, commandId, days, owner: newIdSuffix(Date.now()) };
  while (true) {
    const begun = await beginRehearsal(deps.database, rehearsal, deps.clock.now());
    if (begun.kind === 'finished') return begun.result;
    if (begun.kind === 'begun') return await work(deps, rehearsal, begun.done);
    if (deps.isClosing()) throw closing();
    if (Date.now() >= deadlineMs) throw begun.same ? stillUnderWay() : anotherUnderWay();
    await sleep(pollMs);
  }
}

const closing = () =>
  new DomainError('outcome_unknown', 'This process is stopping: repeat the request with its Idempotency-Key to go on.');
const stillUnderWay = () =>
  new DomainError('outcome_unknown', 'The rehearsal is still under way; repeat the request with its Idempotency-Key.');
const anotherUnderWay = () =>
  new DomainError(
    'invalid_transition',
    'Another request is advancing the rehearsals of this account: wait until it has ended.',
  );

async function work(deps: RehearsalDeps, rehearsal: Rehearsal, begun: RehearsalDone): Promise<RehearsalResult> {
  const { database, clock, logger, isClosing } = deps;
  const keep = (longer: boolean): Promise<void> =>
    keepLease(database, rehearsal, longer).catch((err: unknown) =>
      logger.warn({ err, accountId: rehearsal.accountId }, 'the lease of a rehearsal was not written'),
    );
  const timer = setInterval(() => void keep(true), renewLeaseEveryMs);
  try {
    refuseFarFuture(rehearsal, begun, clock.now());
    let done = begun;
    while (true) {
      if (isClosing()) throw closing();
      const day = await runDay(deps, rehearsal, done);
      if (day.done.done_days === rehearsal.days) return day.result;
      done = day.done;
    }
  } catch (err) {
    clearInterval(timer);
    // The next process need not wait for the lease's end.
    await keep(false);
    throw err;
  } finally {
    clearInterval(timer);
  }
}

function refuseFarFuture({ days }: Rehearsal, { ahead_days, done_days }: RehearsalDone, now: Date): void {
  if (rehearsalTime(now, ahead_days - done_days + days).getUTCFullYear() <= yearMax) return;
  throw invalidField('days', `must not lead beyond the year ${yearMax}`);
}

/** Runs the job of the day that the clock comes to, then moves the clock there. */
async function runDay(
  deps: RehearsalDeps,
  rehearsal: Rehearsal,
  before: RehearsalDone,
): Promise<{ readonly done: RehearsalDone; readonly result: RehearsalResult }> {
  const { database, clock, logger, isClosing } = deps;
  const { accountId } = rehearsal;
  const aheadDays = before.ahead_days + 1;
  const runId = runIdOf(rehearsal, before.done_days + 1);
  const run: AccountRun = {
    accountId,
    runId,
    test: true,
    isClosing,
    notCharged: new Set(),
    keyRefusal: newKeyRefusal(),
    now: () => rehearsalTime(clock.now(), aheadDays),
    progress: { expect: () => undefined, done: () => undefined },
  };
  const counts = noCounts();
  for (const step of deps.rehearsalSteps) {
    await step({ database, clock, logger }, run, counts);
    // The day is not done; the next process repeats it.
    if (isClosing()) throw closing();
  }
  const done = added(before, aheadDays, counts);
  const result = await commitDay(database, rehearsal, done, clock.now());
  if (result === undefined) throw stillUnderWay();
  return { done, result };
}

/** Each day is a run of its own, which charges one period at most for each subscription; the repeated day is the same run. */
function runIdOf({ commandId }: Rehearsal, day: number): string {
  return idOfCommand('dailyRun', idSuffixOf(0, hash('sha256', `${commandId} ${day}`, 'buffer')));
}

const added = (before: RehearsalDone, ahead_days: number, day: DailyCounts): RehearsalDone => ({
  ahead_days,
  done_days: before.done_days + 1,
  ok: before.ok && day.problems.length === 0,
  charged: before.charged + day.charged,
  charged_cents: before.charged_cents + day.chargedCents,
  charged_by_currency: addAmounts(before.charged_by_currency, day.chargedByCurrency),
  retried: before.retried + day.retried,
  canceled: before.canceled + day.canceled,
});
