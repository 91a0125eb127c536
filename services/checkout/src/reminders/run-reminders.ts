import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { reminderNoticed, remindersFinished, type runReminders } from '@app/contracts/reminders';
import { insertOutboxSql, type OutboxRow, outboxRow } from '@app/messaging/outbox';
import { runForEachAccount } from '@app/messaging/run-for-each-account';
import {
  createSingleFlight,
  type RunRequest,
  type SingleFlight,
  type SingleFlightDeps,
} from '@app/messaging/single-flight';
import { statement } from '@app/service-kit/database';
import { accountsWithReminders } from './accounts-with-reminders.ts';
import { noticeOf, problemOf } from './reminder.rules.ts';
import { type ReminderDeps, type SentReminders, sendReminders } from './send-reminders.ts';

type RunResult = RequestOutput<typeof runReminders>;

export interface RunDeps extends ReminderDeps {
  readonly flight: SingleFlight<RunResult>;
}

export function createRunDeps(deps: ReminderDeps & SingleFlightDeps): RunDeps {
  return { ...deps, flight: createSingleFlight<RunResult>(deps, { table: 'reminder_runs' }) };
}

/** Each account that is worked on takes connections from buyers: the lock's, and those of its statements. */
export const partsAtOnce = 2;
/** Longer than an account's run sends. A slower one is stuck. */
const partLimitMs = 15 * 60_000;

type ReminderRunRequest = Pick<RunRequest, 'runId' | 'deadlineMs'>;

/**
 * Reminds the account's buyers. Whoever comes meanwhile gets the same result.
 * @throws DomainError outcome_unknown at the deadline
 */
export async function remindAccount(deps: RunDeps, accountId: string, request: ReminderRunRequest): Promise<RunResult> {
  const run = { accountId, platformRunId: null, ...request };
  return await deps.flight.run(run, () => remindBuyers(deps, run));
}

/** For every account, those with the fewest stalled checkouts first, so that none waits behind a larger one. */
export async function remindAll(deps: RunDeps, request: ReminderRunRequest): Promise<RunResult> {
  const { flight, logger, isClosing } = deps;
  const all = {
    ...{ flight, logger, isClosing, partsAtOnce, partLimitMs, processCloses },
    accounts: accountsWithReminders(deps),
    part: ({ accountId, runId }: Pick<RunRequest, 'accountId' | 'runId'>) =>
      remindBuyers(deps, { accountId, runId, platformRunId: request.runId }),
    none: { ok: true, sent: 0, recovered: 0, problem: null },
    add: addResults,
    failed: () => ({ ok: false, sent: 0, recovered: 0, problem: 'The reminders of an account failed.' }),
  };
  return await runForEachAccount<RunResult>(all, request);
}

/** The problem of the first account that had one stands for all. */
const addResults = (sum: RunResult, part: RunResult): RunResult => ({
  ok: sum.ok && part.ok,
  sent: sum.sent + part.sent,
  recovered: sum.recovered + part.recovered,
  problem: sum.problem ?? part.problem,
});

const processCloses = (): DomainError =>
  new DomainError('outcome_unknown', 'The process closes; the next run goes on.');

type ReminderRun = Pick<RunRequest, 'accountId' | 'runId' | 'platformRunId'>;

async function remindBuyers(deps: RunDeps, run: ReminderRun): Promise<RunResult> {
  const startedMs = performance.now();
  const settings = await readSettingsOf(deps.database.pool, run.accountId);
  const sent = await sendReminders(deps, run.accountId, settings);
  if (deps.isClosing()) throw processCloses();
  const result = await recordResult(deps, run, sent);
  const durationMs = Math.round(performance.now() - startedMs);
  deps.logger.info({ ...run, durationMs, ...result, failed: sent.failed }, 'reminders');
  return result;
}

const countRecoveredStatement = statement(
  'reminders-count-recovered',
  `with counted as (
     update reminders as r set counted_at = $2
     where r.account_id = $1 and r.sent_at is not null and r.counted_at is null and exists (
       select from checkouts as c where c.account_id = $1 and c.id = r.checkout_id and c.status in ('paid', 'refunded'))
     returning r.id
   )
   select count(*)::int as recovered from counted`,
);

/** The row is this run's while it has not been closed as interrupted. */
const resultStatement = statement(
  'reminder-runs-result',
  'update reminder_runs set result = $3 where id = $1 and account_id = $2 and finished_at is null and result is null',
);

/**
 * Counts recovered checkouts, and records the run's result with its events, in one transaction: what is counted is told once.
 * A process that dies before it has counted nothing; one that dies after it has a result, which the repeated command gets.
 */
async function recordResult(deps: RunDeps, run: ReminderRun, sent: SentReminders): Promise<RunResult> {
  const { database, clock, wakeRelay } = deps;
  const now = clock.now();
  const result = await database.transaction(async (client) => {
    const { rows } = await client.query<{ recovered: number }>(countRecoveredStatement([run.accountId, now]));
    const problem = problemOf(sent);
    const recovered = rows[0]?.recovered ?? 0;
    const counted = { ok: problem === null, sent: sent.sent, recovered, problem };
    const summary = problem ?? noticeOf({ ...sent, perDay: deps.perDay });
    const notice = summary === null ? null : { summary, checkoutId: sent.aboutCheckoutId };
    const events = eventsOf(run, counted, notice, now);
    if (events.length > 0) await client.query(insertOutboxSql, [JSON.stringify(events)]);
    const { rowCount } = await client.query(resultStatement([run.runId, run.accountId, counted]));
    if (rowCount !== 1) throw new DomainError('outcome_unknown', 'The run lost its lock, and another one took over.');
    return counted;
  });
  wakeRelay();
  return result;
}

/** Nothing is told of a run that did nothing. A run that failed is told once, not for each buyer. */
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
