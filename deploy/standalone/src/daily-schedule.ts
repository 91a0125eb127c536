import { setTimeout as sleep } from 'node:timers/promises';
import { callDailyJob } from '@app/runs/call-daily-job';
import { isMissed, nextStartMs } from '@app/runs/start-time';

export interface Schedule {
  readonly gatewayUrl: string;
  readonly platformKey: string;
  readonly startMinute: number;
  /** A copy runs no job. */
  readonly isCopy: () => boolean;
  readonly say: (line: string) => void;
}

/** Runs the daily job of all accounts every day while this process lives, and at once where a run was missed; at most once in a day for each. */
export function startDailySchedule(schedule: Schedule): { close(): Promise<void> } {
  const { isCopy, startMinute } = schedule;
  const closing = new AbortController();
  const follow = async (): Promise<void> => {
    if (!isCopy() && isMissed(await lastRun(schedule, closing.signal), Date.now(), startMinute))
      await run(schedule, 'missed');
    while (!closing.signal.aborted) {
      await sleep(nextStartMs(Date.now(), startMinute) - Date.now(), undefined, { signal: closing.signal });
      if (!isCopy()) await run(schedule, 'scheduled');
    }
  };
  follow().catch((err: unknown) => {
    if (!closing.signal.aborted) schedule.say(`the daily job is not scheduled any more: ${String(err)}`);
  });
  // A run goes on in billing, and its result is that of the next request under its key: it is not waited for.
  return { close: async () => closing.abort() };
}

/** When the last run over all accounts began; undefined where there was none. */
async function lastRun({ gatewayUrl, platformKey }: Schedule, signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(new URL('/api/v1/daily-runs?limit=1', gatewayUrl), {
    headers: { authorization: `Bearer ${platformKey}` },
    signal,
  });
  if (!answer.ok) throw new Error(`the list of daily runs was answered with ${answer.status}`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly started_at: string }[] };
  return data[0]?.started_at;
}

async function run({ gatewayUrl, platformKey, say }: Schedule, purpose: 'missed' | 'scheduled'): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  await callDailyJob({
    gatewayUrl,
    key: platformKey,
    idempotencyKey: `daily-${day}-${purpose}`,
    force: false,
    mustBeThere: false,
    log: (line) => say(`daily job, ${line}`),
  });
}
