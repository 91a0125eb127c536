import { dayMs, minuteMs } from '@app/contracts/durations';
import { callDailyJob } from '@app/runs/call-daily-job';
import { isMissed, nextStartMs } from '@app/runs/start-time';
import { startLoop } from '@app/service-kit/background-loop';

export interface Schedule {
  readonly gatewayUrl: string;
  readonly platformKey: string;
  readonly startMinute: number;
  /** A copy runs no job. */
  readonly isCopy: () => boolean;
  readonly say: (line: string) => void;
  /** How often it is looked whether the job is due, in milliseconds of real time; a minute unless given. */
  readonly everyMs?: number;
}

/**
 * Runs the daily job of all accounts every day while this process lives, and soon where a run was missed: while the process was off, while the
 * machine slept, or while this was a copy. Each time of day that was due has one run.
 */
export function startDailySchedule(schedule: Schedule): { close(): Promise<void> } {
  const { everyMs = minuteMs, isCopy, say, startMinute } = schedule;
  const closing = new AbortController();
  let doneMs: number | undefined;
  const loop = startLoop({
    name: 'daily-job',
    held: isCopy,
    round: async () => {
      const dueMs = nextStartMs(Date.now(), startMinute) - dayMs;
      if (doneMs === dueMs) return;
      // What happened before this process looked, only the list of runs says.
      if (doneMs !== undefined || isMissed(await lastRun(schedule, closing.signal), Date.now(), startMinute))
        await run(schedule, dueMs);
      doneMs = dueMs;
    },
    // A timer stands still while the machine sleeps, so none is long.
    pauseMs: () => Math.min(nextStartMs(Date.now(), startMinute) - Date.now(), everyMs),
    onFailure: (err) => say(`the daily job could not be looked at, and is again soon: ${String(err)}`),
  });
  return {
    // A run goes on in billing, and its result is that of the next request under its key: it is not waited for.
    close: async () => {
      closing.abort();
      void loop.close();
    },
  };
}

/** When the last run over all accounts began; undefined where there was none. */
async function lastRun({ gatewayUrl, platformKey }: Schedule, signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(new URL('/api/v1/daily-runs?limit=1', gatewayUrl), {
    headers: { authorization: `Bearer ${platformKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(minuteMs)]),
  });
  if (!answer.ok) throw new Error(`the list of daily runs was answered with ${answer.status}`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly started_at: string }[] };
  return data[0]?.started_at;
}

/** One key for each time that was due: however often it is asked for, it is one run. */
async function run({ gatewayUrl, platformKey, say }: Schedule, dueMs: number): Promise<void> {
  await callDailyJob({
    gatewayUrl,
    key: platformKey,
    idempotencyKey: `daily-${new Date(dueMs).toISOString().slice(0, 10)}`,
    force: false,
    mustBeThere: false,
    log: (line) => say(`daily job, ${line}`),
  });
}
