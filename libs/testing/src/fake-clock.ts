import type { Clock } from '@app/service-kit/clock';

/** A clock that moves only on request. */
export interface FakeClock extends Clock {
  set(instant: string | Date): void;
  advance(ms: number): void;
}

export function fakeClock(start: string | Date = '2026-01-15T12:00:00.000Z'): FakeClock {
  let nowMs = instantMs(start);
  return {
    now: () => new Date(nowMs),
    nowMs: () => nowMs,
    set(instant) {
      nowMs = instantMs(instant);
    },
    advance(ms) {
      nowMs += ms;
    },
  };
}

function instantMs(instant: string | Date): number {
  const ms = new Date(instant).getTime();
  if (Number.isNaN(ms)) throw new Error(`Not an instant: ${instant}`);
  return ms;
}
