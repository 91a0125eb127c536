import { type ConcurrencyLimit, createConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { Operation } from './operation.ts';

/**
 * Writes of one account mostly change the same rows. Each that waits for such a row holds one of the ten connections that a
 * replica has to its database; the other six are for everybody else. Four of 10 ms each are 400 a second.
 */
const atOnce = 4;
/** Two commands that have the time of theirs: no caller waits longer than for a lost answer of each. */
const withinMs = 20_000;

export const createWriteLimit = (): ConcurrencyLimit =>
  createConcurrencyLimit({
    atOnce,
    withinMs,
    tooLate: () =>
      new RetryLaterError(
        'service_unavailable',
        'Too many concurrent writes for this account: repeat after 1 s, or send fewer at once.',
        1,
      ),
  });

/** Whether the operation needs a slot of its account's writes. What takes long has a limit of its own: one at a time. */
export const isLimited = ({ method, unlimitedConcurrency, longestMs }: Operation): boolean =>
  method !== 'GET' && unlimitedConcurrency === undefined && longestMs === undefined;
