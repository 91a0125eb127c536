import { type ConcurrencyLimit, createConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';

/**
 * Each event costs billing a statement before it is known whether Stripe has sent it. Four of 10 ms each are 400 a second, twenty
 * times of what an account's renewals cause; what many addresses send to one account besides waits, and no other account does.
 */
const atOnce = 4;
/** Stripe waits ten seconds for an answer. */
const withinMs = 2_000;

export const createEventLimit = (limits = { atOnce, withinMs }): ConcurrencyLimit =>
  createConcurrencyLimit({
    ...limits,
    tooLate: () => new RetryLaterError('rate_limited', 'Too many events for this account at once.', 1),
  });
