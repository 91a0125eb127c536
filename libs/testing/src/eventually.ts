import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Default 8,000: a loaded machine takes its time, and NATS delivers an event again after 10 s, which "at once" is not. */
  withinMs?: number;
  /** Default 20. */
  everyMs?: number;
  /** What was waited for, in the failure. */
  message?: string;
}

/** Of the time that the machine stands still so much does not count, in all. */
const standstillMaxMs = 20_000;

/**
 * Calls the probe until it neither throws nor answers false or undefined, and returns its answer. Fails with the
 * probe's last error once the time is over; real time, whatever the injected clock says. A machine that stands still does
 * not use the time up: one look counts as a twentieth of it at most.
 */
export async function eventually<T>(
  probe: () => Promise<T> | T,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { withinMs = 8_000, everyMs = 20 } = options;
  const startedAt = performance.now();
  let giveUpAt = startedAt + withinMs;
  let lookedAt = startedAt;
  for (;;) {
    let failure: unknown;
    try {
      const answer = await probe();
      if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
      failure = new Error(`The probe still answers ${answer}`);
    } catch (err) {
      failure = err;
    }
    const now = performance.now();
    const standstillMs = Math.max(0, now - lookedAt - withinMs / 20);
    lookedAt = now;
    giveUpAt = Math.min(giveUpAt + standstillMs, startedAt + withinMs + standstillMaxMs);
    if (now >= giveUpAt) throw describe(failure, withinMs, options.message);
    await sleep(everyMs);
  }
}

function describe(failure: unknown, withinMs: number, message: string | undefined): unknown {
  if (!(failure instanceof Error)) return failure;
  failure.message = `${message ? `${message}: ` : ''}not within ${withinMs} ms: ${failure.message}`;
  return failure;
}
