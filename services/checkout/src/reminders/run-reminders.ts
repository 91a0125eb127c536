import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { reminderNoticed, remindersFinished, type runReminders } from '@app/contracts/reminders';
import { insertOutboxSql, type OutboxRow, outboxRow } from '@app/messaging/outbox';
import { processCloses, runForEachAccount } from '@app/runs/run-for-each-account';
import { createRunLock, type RunLock, type RunLockDeps, type RunRequest, runStatements } from '@app/runs/run-lock';
import { statement } from '@app/service-kit/database';
import { createSemaphore } from '@app/service-kit/semaphore';
import { within } from '@app/service-kit/within';
import { accountsWithReminders } from './accounts-with-reminders.ts';
import { noticeOf, problemOf } from './reminder.rules.ts';
import {
  type ReminderDeps,
  type SentReminders,
  type Submitting,
  startSending,
  withRefusals,
} from './send-reminders.ts';

type RunResult = RequestOutput<typeof runReminders>;

export interface RunDeps extends ReminderDeps {
  readonly runLock: RunLock<RunResult>;
  /** How long a run waits for the mail server, in milliseconds; what is not submitted by then goes on apart. */
  readonly sendWaitMs: number;
  /** What goes on apart from its run. */
  readonly apart: Set<Promise<void>>;
}

/** Far less than the gateway waits for a daily run, and than a mail server may keep a message. */
const usualWaitMs = 30_000;

/** Accounts whose reminders go out at once, in runs and apart: each takes four connections to the mail server. */
const accountsSendingMax = 8;

const reminderRuns = runStatements({ table: 'reminder_runs', resultType: 'json' });

type GivenDeps = Omit<ReminderDeps, 'sending'> & RunLockDeps & { readonly sendWaitMs?: number };

export function createRunDeps(deps: GivenDeps): RunDeps {
  const runLock = createRunLock<RunResult>(deps, reminderRuns);
  return {
    sendWaitMs: usualWaitMs,
    ...deps,
    runLock,
    apart: new Set(),
    sending: createSemaphore(accountsSendingMax),
  };
}

/** When the process closes: a submission that is under way gets a moment to be recorded; without, it counts as sent. */
const closeWaitMs = 2_000;

/** Resolves when what goes on apart has stopped, at the latest after two seconds. The process closes. */
export async function closeRuns({ apart }: Pick<RunDeps, 'apart'>): Promise<void> {
  await within(closeWaitMs, Promise.allSettled(apart), () => undefined);
}

/** Each account that is worked on takes connections from buyers: the lock's, and those of its statements. */
export const partsAtOnce = 2;
/** Longer than an account's run sends. A slower one is stuck. */
const partLimitMs = 15 * 60_000;

type ReminderRunRequest = Pick<RunRequest, 'runId' | 'deadlineMs'>;

/**
 * Reminds the account's buyers. A concurrent call gets the same result.
 * @throws DomainError outcome_unknown at the deadline
 */
export async function remindAccount(deps: RunDeps, accountId: string, request: ReminderRunRequest): Promise<RunResult> {
  const run = { accountId, platformRunId: null, ...request };
  return await deps.runLock.run(run, () => remindBuyers(deps, run, performance.now() + deps.sendWaitMs));
}

/** For every account, those with the fewest stalled checkouts first, so that none waits behind a larger one. */
export async function remindAll(deps: RunDeps, request: ReminderRunRequest): Promise<RunResult> {
  // Accounts behind others that wait for a silent mail server wait no longer than these did.
  const allUntilMs = performance.now() + 2 * deps.sendWaitMs;
  const all = {
    partsAtOnce,
    partLimitMs,
    accounts: accountsWithReminders(deps),
    part: ({ accountId, runId }: Pick<RunRequest, 'accountId' | 'runId'>) =>
      remindBuyers(
        deps,
        { accountId, runId, platformRunId: request.runId },
        Math.min(allUntilMs, performance.now() + deps.sendWaitMs),
      ),
    none: { ok: true, sent: 0, recovered: 0, problem: null },
    add: addResults,
    failed: () => ({ ok: false, sent: 0, recovered: 0, problem: 'The reminders of an account failed.' }),
  };
  return await runForEachAccount<RunResult>(deps, all, request);
}

/** The problem of the first account that had one stands for all. */
const addResults = (sum: RunResult, part: RunResult): RunResult => ({
  ok: sum.ok && part.ok,
  sent: sum.sent + part.sent,
  recovered: sum.recovered + part.recovered,
  problem: sum.problem ?? part.problem,
});

type ReminderRun = Pick<RunRequest, 'accountId' | 'runId' | 'platformRunId'>;

/** @param waitUntilMs on the scale of performance.now(): what is not submitted by then goes on apart from the run */
async function remindBuyers(deps: RunDeps, run: ReminderRun, waitUntilMs: number): Promise<RunResult> {
  const startedMs = performance.now();
  const settings = await readSettingsOf(deps.database.pool, run.accountId);
  const submitting = startSending(deps, run.accountId, settings);
  const waitMs = Math.max(0, waitUntilMs - performance.now());
  const ended = await within(waitMs, submitting.ended, () => undefined);
  const sent = withRefusals(ended ?? submitting.leave());
  if (ended === undefined) goOnApart(deps, run, submitting);
  if (deps.isClosing()) throw processCloses();
  const result = await recordResult(deps, run, sent);
  const durationMs = Math.round(performance.now() - startedMs);
  deps.logger.info({ ...run, durationMs, ...result, failed: sent.failed }, 'reminders');
  return result;
}

/** Goes on when the run has its result; its seller is notified of what does not go out. */
function goOnApart(deps: RunDeps, { accountId, runId }: ReminderRun, { ended }: Submitting): void {
  const { database, clock, logger, wakeRelay, apart } = deps;
  const ending = ended
    .then(async (rest) => {
      const sent = withRefusals(rest);
      const summary = problemOf(sent) ?? noticeOf({ ...sent, bounds: deps.bounds });
      logger.info({ accountId, runId, ...sent }, 'reminders sent after their run');
      if (summary === null || sent.aboutCheckoutId === null) return;
      const notice = { summary, checkoutId: sent.aboutCheckoutId, test: false };
      const events = [outboxRow(reminderNoticed, notice, { accountId, requestId: null, nowMs: clock.nowMs() })];
      await database.pool.query(insertOutboxSql, [JSON.stringify(events)]);
      wakeRelay();
    })
    .catch((err: unknown) => logger.error({ err, accountId, runId }, 'reminders could not be sent'))
    .finally(() => apart.delete(ending));
  apart.add(ending);
}

const countUncountedStatement = statement<{ sent: number }>(
  'reminders-count-uncounted',
  `with counted as (update reminders set uncounted = false where account_id = $1 and uncounted returning 1)
   select count(*)::int as sent from counted`,
  { sent: 'int4' },
);

const countRecoveredStatement = statement<{ recovered: number }>(
  'reminders-count-recovered',
  `with counted as (
     update reminders as r set counted_at = $2
     where r.account_id = $1 and r.sent_at is not null and r.counted_at is null and exists (
       select from checkouts as c where c.account_id = $1 and (c.id = r.checkout_id or c.copy_of = r.checkout_id)
         and c.status in ('paid', 'refunded'))
     returning r.id
   )
   select count(*)::int as recovered from counted`,
  { recovered: 'int4' },
);

/** The row is this run's while it has not been closed as interrupted. */
const resultStatement = statement(
  'reminder-runs-result',
  'update reminder_runs set result = $3 where id = $1 and account_id = $2 and finished_at is null and result is null',
);

/**
 * Counts recovered checkouts, and records the run's result with its events, in one transaction: what is counted is reported once.
 * A process that dies before it has counted nothing; one that dies after it has a result, which the repeated command gets.
 */
async function recordResult(deps: RunDeps, run: ReminderRun, sent: SentReminders): Promise<RunResult> {
  const { database, clock, wakeRelay } = deps;
  const now = clock.now();
  const result = await database.transaction(async (client) => {
    const { rows } = await client.query(countRecoveredStatement([run.accountId, now]));
    const earlier = await client.query(countUncountedStatement([run.accountId]));
    const problem = problemOf(sent);
    const recovered = rows[0]?.recovered ?? 0;
    const counted = { ok: problem === null, sent: sent.sent + (earlier.rows[0]?.sent ?? 0), recovered, problem };
    const summary = problem ?? noticeOf({ ...sent, bounds: deps.bounds });
    const notice = summary === null ? null : { summary, checkoutId: sent.aboutCheckoutId };
    const events = eventsOf(run, counted, notice, now);
    if (events.length > 0) await client.query(insertOutboxSql, [JSON.stringify(events)]);
    const { rowCount } = await client.query(resultStatement([run.runId, run.accountId, counted]));
    if (rowCount !== 1) throw new DomainError('outcome_unknown', 'Another replica took over this run.');
    return counted;
  });
  wakeRelay();
  return result;
}

/** Nothing is reported of a run that did nothing. A run that failed is reported once, not for each buyer. */
function eventsOf(
  { accountId, runId, platformRunId }: ReminderRun,
  { sent, recovered, problem }: RunResult,
  notice: { readonly summary: string; readonly checkoutId: string | null } | null,
  now: Date,
): OutboxRow[] {
  const source = { accountId, requestId: null, nowMs: now.getTime() };
  const finished = {
    runId: platformRunId === null ? runId : null,
    platformRunId,
    sent,
    recovered,
    problem,
    finishedAt: now.toISOString(),
  };
  const events: OutboxRow[] = [];
  if (sent + recovered > 0 || problem !== null)
    events.push(outboxRow(remindersFinished, finished, { ...source, eventId: idOfCommand('event', runId.slice(-26)) }));
  if (notice !== null && notice.checkoutId !== null)
    events.push(outboxRow(reminderNoticed, { ...notice, checkoutId: notice.checkoutId, test: false }, source));
  return events;
}
