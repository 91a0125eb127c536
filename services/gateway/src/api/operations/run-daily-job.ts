import { type DailyResult, problemsMax, startDailyRun, type startDailyRunBody } from '@app/contracts/daily-runs';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { runReminders } from '@app/contracts/reminders';
import type { z } from 'zod';
import type { Actor } from '../../identity/actors.ts';
import type { App } from '../app.ts';
import type { OperationContext } from '../operation.ts';

/**
 * How long a run is waited for. Node's fetch gives up on an answer after 300 s, and so do many proxies; a run that takes
 * longer is answered with 503 before that, and goes on.
 */
export const dailyRunWaitMs = 285_000;

/**
 * The daily run of the caller's account, or with the platform key of every account. Billing and checkout get one command
 * id at the same time, and their results are one. Whatever becomes of the reminders, billing's result is answered.
 * @throws DomainError outcome_unknown when billing has no result in time; it names the run
 */
export async function runDailyJob(call: {
  readonly app: App;
  readonly actor: Actor;
  readonly body: z.output<typeof startDailyRunBody> | undefined;
  readonly context: OperationContext;
}): Promise<DailyResult> {
  const { app, actor, body } = call;
  const waitMs = body?.waitSeconds === undefined ? dailyRunWaitMs : body.waitSeconds * 1_000;
  const context = { ...call.context, waitMs };
  const accountId = actor.kind === 'platform' ? null : actor.accountId;
  const [billing, reminders] = await Promise.allSettled([
    app.requester.request(startDailyRun, { accountId, ...wishesOf(body) }, context),
    app.requester.request(runReminders, { accountId }, context),
  ]);
  if (billing.status === 'rejected') throw namingTheRun(billing.reason, context.commandId);
  if (reminders.status === 'rejected') {
    app.logger.warn({ err: reminders.reason, requestId: context.requestId }, 'reminders of a daily run failed');
    return withProblem(
      billing.value,
      'Whether reminders were sent is not known; the next run sends those that were not.',
    );
  }
  const { ok, sent, recovered, problem } = reminders.value;
  const result = { ...billing.value, recovery: { sent, recovered } };
  return ok ? result : withProblem(result, problem ?? 'Some reminders could not be sent; the next run tries again.');
}

const wishesOf = (body: z.output<typeof startDailyRunBody> | undefined) => ({
  force: body?.force ?? false,
  ...(body?.confirmUnmatchedPayments === true && { confirmUnmatchedPayments: true }),
});

function withProblem(result: DailyResult, detail: string): DailyResult {
  const problem = { code: 'reminders_failed', detail } as const;
  // Last in time, but never left out: what is left out of many failed accounts is in the log.
  return { ...result, ok: false, problems: [...result.problems.slice(0, problemsMax - 1), problem] };
}

function namingTheRun(err: unknown, commandId: string): unknown {
  if (!(err instanceof DomainError) || err.code !== 'outcome_unknown') return err;
  const runId = idOfCommand('dailyRun', commandId);
  return new DomainError(
    'outcome_unknown',
    `There is no result yet, and the run goes on: GET /api/v1/daily-runs/${runId} says how far it is. The request ` +
      'repeated with its Idempotency-Key waits for the result again.',
  );
}
