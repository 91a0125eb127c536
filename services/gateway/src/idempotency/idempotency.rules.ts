import { DomainError, errorCodes } from '@app/contracts/errors';

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

/**
 * What is to be done with a key's record once its request was refused or failed.
 * - `free`: it took no effect. The key may be used again, with another body as well.
 * - `release`: nobody knows whether it took effect. The same request may come again, and goes on with the same command id.
 */
export type Disposal = 'free' | 'release';

/**
 * A refusal says that the command took no effect, and will take none, whoever tried it: services look for the command's
 * first outcome before they judge it, and checkout records a refusal before it tells it. "Try again later" says so of this try alone, and nothing of an earlier one whose answer was lost.
 * @param retried whether there was such an earlier one
 */
export function disposalOf(err: unknown, retried: boolean): Disposal {
  if (!(err instanceof DomainError)) return 'release';
  if (err.code === 'service_unavailable') return retried ? 'release' : 'free';
  return errorCodes[err.code].status < 500 ? 'free' : 'release';
}
