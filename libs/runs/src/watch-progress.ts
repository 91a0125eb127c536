import { setTimeout as sleep } from 'node:timers/promises';

interface Watched {
  readonly gatewayUrl: string;
  readonly key: string;
  readonly log: (line: string) => void;
  readonly progressPauses?: ProgressPauses;
}

/** When the job requests the run's progress, in milliseconds. */
export interface ProgressPauses {
  readonly firstAfterMs: number;
  readonly everyMs: number;
}

const usualPauses: ProgressPauses = { firstAfterMs: 3_000, everyMs: 5_000 };

interface Run {
  readonly id: string;
  readonly finished_at: string | null;
  readonly progress: { done: number; left: number; per_second: number } | null;
}

/** Says every few seconds how far the run is that the key's owner waits for. A question without an answer is left out. */
export function watchProgress(watched: Watched): { stop: () => void } {
  const stopped = new AbortController();
  const { firstAfterMs, everyMs } = watched.progressPauses ?? usualPauses;
  const watch = async (): Promise<void> => {
    await sleep(firstAfterMs, undefined, { signal: stopped.signal });
    while (!stopped.signal.aborted) {
      const line = await progressLine(watched, stopped.signal).catch(() => undefined);
      if (line !== undefined && !stopped.signal.aborted) watched.log(line);
      await sleep(everyMs, undefined, { signal: stopped.signal });
    }
  };
  watch().catch(() => undefined);
  return { stop: () => stopped.abort() };
}

async function progressLine(watched: Watched, signal: AbortSignal): Promise<string | undefined> {
  const { data = [] } = (await read(watched, '/api/v1/daily-runs?limit=1', signal)) as { data?: Run[] };
  const [newest] = data;
  if (newest === undefined || newest.finished_at !== null) return undefined;
  const { progress } = (await read(watched, `/api/v1/daily-runs/${newest.id}`, signal)) as Run;
  if (progress === null || progress === undefined) return undefined;
  return `${progress.done} done, ${progress.left} left, ${progress.per_second} a second`;
}

async function read({ gatewayUrl, key }: Watched, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(new URL(path, gatewayUrl), { headers: { authorization: `Bearer ${key}` }, signal });
  return response.ok ? await response.json() : {};
}
