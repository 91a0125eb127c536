import { DomainError, type ErrorCode, errorCodes } from '@app/contracts/errors';

/** 1 to 255 visible ASCII characters. Two headers arrive joined by a comma and a space, and are refused as well. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;

export function checkIdempotencyKey(key: string): void {
  if (keyPattern.test(key)) return;
  throw new DomainError('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

const keptDays = 30;

/** Records from before are as if they had never been. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 24 * 60 * 60 * 1000);
}

/**
 * How long a request may be at work before another takes its key over, though its process lives: longer than the
 * requester's 20 s for a lost command and the 5 s of its last try.
 */
export const leaseSeconds = 30;

/** When to ask again for a key that is at work: after as long again as that has lasted, and when its lease ends. */
export function retryAfterSeconds(leaseLeftSeconds: number): number {
  const lastedSeconds = leaseSeconds - leaseLeftSeconds;
  return Math.max(1, Math.ceil(Math.min(lastedSeconds, leaseLeftSeconds)));
}

/** What is to be done with a key's record once its request was refused or failed. */
export type Disposal = 'store' | 'release' | 'forget';

/** Refusals about the request as such: the same key may come again with the request put right. */
const notTheOutcome: readonly ErrorCode[] = ['validation_failed', 'malformed_json', 'malformed_request'];
const notTheOutcomeStatuses = [401, 403, 413, 415, 429];

/**
 * - `store`: the operation ran and this was its outcome.
 * - `release`: nobody knows whether it took effect. The key may be used again at once, and goes on with the same command id.
 * - `forget`: it did not run.
 */
export function disposalOf(err: unknown): Disposal {
  if (!(err instanceof DomainError)) return 'release';
  const { status } = errorCodes[err.code];
  if (status >= 500) return 'release';
  return notTheOutcome.includes(err.code) || notTheOutcomeStatuses.includes(status) ? 'forget' : 'store';
}
