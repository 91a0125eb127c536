import { timePasses } from '@app/testing/time-passes';
import type { Answer } from '../support/seller.ts';
import type { Random } from './random.ts';

/** What an actor may send without knowing whether it arrives. */
type Send = () => Promise<Answer>;

/** What all actors share while the run lasts. */
export interface Run {
  readonly random: Random;
  /** Aborted when the actors are to come to an end, also when the run failed. */
  readonly ending: AbortSignal;
  /** Resolves after so long, or when the actors are to come to an end. */
  pause(ms: number): Promise<void>;
  /**
   * Sends until an answer comes: 200, or a refusal, whose code is counted. What gets no answer, or one that says to send
   * again, is sent again under its Idempotency-Key, also after the run's end: its sender wants to know.
   * @throws when the answer is a 5xx other than 503: that fails the run
   */
  answered(what: string, send: Send): Promise<Answer>;
  /** Ends the run as failed. */
  fail(err: unknown): void;
  /** Brings the actors to an end. */
  end(): void;
  /** How often something happened, for the table at the end. */
  count(what: string, times?: number): void;
  readonly counts: ReadonlyMap<string, number>;
  readonly failures: readonly unknown[];
}

const pauseMs = 150;
/** A service is back after a kill within a minute even where much else runs. */
const attemptsMax = 2_000;

export function createRun(random: Random): Run {
  const limit = new AbortController();
  const over = limit.signal;
  const counts = new Map<string, number>();
  const failures: unknown[] = [];
  const count = (what: string, times = 1): void => void counts.set(what, (counts.get(what) ?? 0) + times);
  const fail = (err: unknown): void => {
    failures.push(err);
    limit.abort();
  };
  return {
    random,
    ending: over,
    pause: (ms) => timePasses(ms, over),
    answered: async (what, send) => {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const answer = await send().catch(() => undefined);
        if (answer === undefined) count('lost answers');
        else if (answer.status === 200) return answer;
        else if (mustBeSentAgain(answer)) count(`${answer.status} ${answer.json?.code}`);
        else if (answer.status < 500) {
          count(`${what}: ${answer.status} ${answer.json?.code}`);
          return answer;
        } else {
          const err = new Error(`${what} answered ${answer.status}: ${answer.text}`);
          fail(err);
          throw err;
        }
        await timePasses(pauseMs);
      }
      const err = new Error(`${what} got no answer in ${attemptsMax} attempts`);
      fail(err);
      throw err;
    },
    fail,
    end: () => limit.abort(),
    count,
    counts,
    failures,
  };
}

const mustBeSentAgain = ({ status, json }: Answer): boolean =>
  status === 503 || (status === 409 && json?.code === 'idempotency_key_in_use');

/** Runs a job again and again until the run ends; what it throws ends the run. */
export async function again(run: Run, work: () => Promise<void>): Promise<void> {
  while (!run.ending.aborted) await work().catch(run.fail);
}
