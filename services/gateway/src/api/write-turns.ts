import { createTurns, type Turns } from '../limits/turns.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { Operation } from './operation.ts';

/**
 * Writes of one account mostly change the same rows. Each that waits for such a row holds one of the ten connections that a
 * replica has to its database; the other six are for everybody else. Four of 10 ms each are 400 a second.
 */
const atOnce = 4;
/** As long as the requester repeats a command: nobody waits longer than they would for a lost answer. */
const withinMs = 20_000;

export const createWriteTurns = (): Turns =>
  createTurns({
    atOnce,
    withinMs,
    tooLate: () =>
      new RetryLaterError(
        'service_unavailable',
        'This account changes more at once than is worked on: ask for less at once.',
        1,
      ),
  });

/** Whether writes of one account wait for each other. What takes long has its own limit: one at a time. */
export const takesTurns = ({ method, takesNoTurn, longestMs }: Operation): boolean =>
  method !== 'GET' && takesNoTurn === undefined && longestMs === undefined;
