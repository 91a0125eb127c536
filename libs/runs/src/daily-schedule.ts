import { minuteMs } from '@app/contracts/durations';
import { startLoop } from '@app/service-kit/background-loop';
import { callDailyJob, type Outcome } from './call-daily-job.ts';
import { isMissed, lastStartMs, nextStartMs } from './start-time.ts';

export interface Schedule {
  readonly gatewayUrl: string;
  /** The platform key, for the job of all accounts, or a seller's. */
  readonly key: string;
  /** Minutes after midnight, UTC. */
  readonly startMinute: number;
  /** A copy runs no job: it requests none while this says so. The gateway of a copy refuses it in any case. */
  readonly isCopy?: () => boolean;
  readonly say: (line: string) => void;
  /** Called with what each request for a run came to, and with `refused` where the gateway refuses the key before one is due. */
  readonly ended?: (outcome: Outcome) => void;
  /** How often it is checked whether the job is due, in milliseconds of real time; a minute unless given. */
  readonly everyMs?: number;
}

/**
 * Runs the daily job of all accounts every day while this process lives, and soon where a run was missed, the first one too: while the process
 * was off, while the machine slept, while this was a copy, or because the gateway refused it. Each time of day that was due has one run.
 */
export function startDailySchedule(schedule: Schedule): { close(): Promise<void> } {
  const { ended, everyMs = minuteMs, isCopy, say, startMinute } = schedule;
  const closing = new AbortController();
  let doneMs: number | undefined;
  const loop = startLoop({
    name: 'daily-job',
    ...(isCopy && { held: isCopy }),
    round: async () => {
      const dueMs = lastStartMs(Date.now(), startMinute);
      if (doneMs === dueMs) return;
      // What happened before this process looked, only the list of runs says.
      if (doneMs !== undefined || isMissed(await lastRunOrSince(schedule, closing.signal), Date.now(), startMinute)) {
        const outcome = await run(schedule, dueMs);
        ended?.(outcome);
        // Nothing says that it ran: it is requested again, under the same key.
        if (outcome === 'refused' || outcome === 'unknown') return;
      }
      doneMs = dueMs;
    },
    // A timer stands still while the machine sleeps, so none is long.
    pauseMs: () => Math.min(nextStartMs(Date.now(), startMinute) - Date.now(), everyMs),
    onFailure: (err) => say(`the daily job could not be checked, and is again soon: ${String(err)}`),
  });
  return {
    // A run goes on in billing, and its result is that of the next request under its key: it is not waited for.
    close: async () => {
      closing.abort();
      void loop.close();
    },
  };
}

/**
 * When the last run began, over all accounts or of the key's; where there was none, since when one is due each day: when the first account
 * was made, or the key's. Undefined without accounts.
 */
async function lastRunOrSince({ gatewayUrl, key, ended }: Schedule, signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(new URL('/api/v1/daily-runs?limit=1', gatewayUrl), {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(minuteMs)]),
  });
  // A run would be refused as well, and none is requested while nobody knows when the last one was.
  if (answer.status === 401 || answer.status === 403) ended?.('refused');
  if (!answer.ok) throw new Error(`the list of daily runs was answered with ${answer.status}`);
  const { data, due_since } = (await answer.json()) as DailyRuns;
  return data[0]?.started_at ?? due_since ?? undefined;
}

interface DailyRuns {
  readonly data: readonly { readonly started_at: string }[];
  readonly due_since?: string | null;
}

/** One key for each time that was due: however often it is asked for, it is one run. */
async function run({ gatewayUrl, key, say }: Schedule, dueMs: number): Promise<Outcome> {
  return await callDailyJob({
    gatewayUrl,
    key,
    idempotencyKey: `daily-${new Date(dueMs).toISOString().slice(0, 16)}`,
    force: false,
    mustBeThere: false,
    log: (line) => say(`daily job, ${line}`),
  });
}
