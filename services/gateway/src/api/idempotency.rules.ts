import { dayMs } from '@app/contracts/durations';
import { DomainError, errorCodes } from '@app/contracts/errors';

/** 1 to 255 visible ASCII characters. Two headers arrive joined by a comma and a space, which does not match. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;

export function checkIdempotencyKey(key: string): void {
  if (keyPattern.test(key)) return;
  throw new DomainError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

const keptDays = 30;
/** Without an account: a browser that repeats a request does so within minutes, and anyone may have them stored. */
const keptDaysWithoutAccount = 1;

/** Older records count as if they did not exist. */
export function keptSince(now: Date, isOfAccount = true): Date {
  return new Date(now.getTime() - (isOfAccount ? keptDays : keptDaysWithoutAccount) * dayMs);
}

/**
 * After this time another request may take the key over, even from a living process. No command of an operation without
 * `longestMs` is waited for so long.
 */
const leaseSeconds = 30;

/** Of what an operation does beside its longest request: a buyer's waits up to 10 s for room in the limit of declined attempts, and reads. */
const besideSeconds = 20;

/** The lease of a request whose response may take so long, in milliseconds. */
export function leaseSecondsOf(longestMs = 0): number {
  return Math.max(leaseSeconds, Math.ceil(longestMs / 1_000) + besideSeconds);
}

/**
 * When to try a key in use again: after as long as its request has run so far, at the latest when its lease ends.
 * @param ofSeconds the whole lease
 */
export function retryAfterSeconds(leaseLeftSeconds: number, ofSeconds: number = leaseSeconds): number {
  const lastedSeconds = ofSeconds - leaseLeftSeconds;
  return Math.max(1, Math.ceil(Math.min(lastedSeconds, leaseLeftSeconds)));
}

/**
 * What happens to a key's record after its request has failed.
 * - `deleteRecord`: the request had no effect. The key may be used again, also with another body.
 * - `endLease`: whether it had an effect is unknown. The same request may run again, with the same command id.
 */
export type Disposal = 'deleteRecord' | 'endLease';

/**
 * An error with a status below 500 says that no attempt of the command had or will have an effect: services search for the
 * command's first outcome before they decide, and checkout stores a rejection before it replies.
 * `service_unavailable` says so of this attempt alone, and nothing of an earlier one whose response was lost.
 * @param retried whether there was an earlier one
 */
export function disposalOf(err: unknown, retried: boolean): Disposal {
  if (!(err instanceof DomainError)) return 'endLease';
  if (err.code === 'service_unavailable') return retried ? 'endLease' : 'deleteRecord';
  return errorCodes[err.code].status < 500 ? 'deleteRecord' : 'endLease';
}
