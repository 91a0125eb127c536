import { RetryLaterError } from '../problems/retry-later-error.ts';

/** The same words whichever limit it was: the caller does not learn what is counted. */
export const tooManyAttempts = (retryAfterSeconds: number): RetryLaterError =>
  new RetryLaterError(
    'rate_limited',
    'Too many payments were declined: pay again after the header `retry-after`.',
    retryAfterSeconds,
  );
