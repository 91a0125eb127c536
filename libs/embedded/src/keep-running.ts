import { setTimeout as sleep } from 'node:timers/promises';

export interface KeptServer {
  /** Resolves with the reason once the server has ended, from inside or outside. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface KeepRunningOptions<S extends KeptServer> {
  readonly name: string;
  /** Starts it again, on the port and the data of before. */
  readonly restart: () => Promise<S>;
  /** Why starting it would be of no use right now; undefined when nothing is in the way. */
  readonly obstacle?: () => string | undefined;
  readonly say: (line: string) => void;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A server that ran for so long did not end by what was wrong at its start. */
const steadyMs = 60_000;

export interface KeptRunning {
  /** Ends the server as it runs now; it is started again like one that ended by itself. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server again whenever it ends, until it is stopped; logs that, and when it is back. */
export function keepRunning<S extends KeptServer>(first: S, options: KeepRunningOptions<S>): KeptRunning {
  const { name, say } = options;
  const stopping = new AbortController();
  let current: S | undefined = first;
  let pauseMs = firstPauseMs;

  async function startAgain(): Promise<S | undefined> {
    let said = '';
    const sayOnce = (line: string): void => {
      if (line !== said) say(line);
      said = line;
    };
    for (;;) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return undefined;
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      const obstacle = options.obstacle?.();
      if (obstacle !== undefined) {
        sayOnce(`${name} waits: ${obstacle}`);
        continue;
      }
      try {
        return await options.restart();
      } catch (err) {
        sayOnce(`${name} does not start; retrying: ${(err as Error).message}`);
      }
    }
  }

  async function follow(server: S): Promise<void> {
    for (let running = server; ; ) {
      const startedMs = performance.now();
      const reason = await running.ended;
      if (stopping.signal.aborted) return;
      const endedMs = performance.now();
      say(`${name} has ended (${reason}), starting it again`);
      if (endedMs - startedMs >= steadyMs) pauseMs = firstPauseMs;
      current = undefined;
      const next = await startAgain();
      if (next === undefined) return;
      if (stopping.signal.aborted) return await next.stop();
      say(`${name} is back after ${((performance.now() - endedMs) / 1_000).toFixed(1)} s`);
      current = next;
      running = next;
    }
  }

  const following = follow(first);
  return {
    renew: async () => await current?.stop(),
    async stop() {
      stopping.abort();
      await current?.stop();
      await following;
    },
  };
}
