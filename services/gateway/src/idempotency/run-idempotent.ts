import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { disposalOf, retryAfterSeconds } from './idempotency.rules.ts';
import type { Hold, IdempotencyStore, RecordKey } from './idempotency-store.ts';

export interface IdempotentCall {
  readonly record: RecordKey;
  /** Digest of what was asked and by whom: the same for the same request. */
  readonly fingerprint: Buffer;
  readonly commandId: string;
  readonly now: Date;
  run(commandId: string): Promise<Uint8Array>;
  /** The part of a response that is stored for repetitions: all but its secrets. */
  stored(body: Uint8Array): Uint8Array;
}

export interface IdempotentResult {
  readonly body: Uint8Array;
  readonly replayed: boolean;
}

/**
 * Runs the call, or answers with what the first request under its key got. Throws `idempotency_key_in_use`,
 * `idempotency_key_reused`, or what the call throws.
 */
export async function runIdempotent(
  store: IdempotencyStore,
  logger: Logger,
  call: IdempotentCall,
): Promise<IdempotentResult> {
  const { record } = call;
  const reservation = await store.reserve(record, call.fingerprint, call.commandId, call.now);
  if (reservation.kind === 'in-use') {
    const detail = 'The first request with this Idempotency-Key is still running.';
    throw new RetryLaterError('idempotency_key_in_use', detail, retryAfterSeconds(reservation.leaseLeftSeconds));
  }
  if (reservation.kind === 'reused') {
    const detail = 'This Idempotency-Key was used with another method, path or body, or by another key or user.';
    throw new DomainError('idempotency_key_reused', detail);
  }
  if (reservation.kind === 'done') return { body: reservation.body, replayed: true };
  const { hold } = reservation;
  let body: Uint8Array;
  try {
    body = await call.run(hold.commandId);
  } catch (err) {
    await settle(logger, hold, store[disposalOf(err, hold.retried)](hold));
    throw err;
  }
  await keep(store, logger, hold, call.stored(body));
  return { body, replayed: false };
}

const keepPausesMs = [0, 100, 500];

/**
 * Stores the answer before it is given: were it given alone, a repetition would do the work again for another answer,
 * and replace the key that this one shows. What cannot be stored is not told. Throws `outcome_unknown`.
 */
async function keep(store: IdempotencyStore, logger: Logger, hold: Hold, body: Uint8Array): Promise<void> {
  for (const pauseMs of keepPausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    try {
      if (await store.complete(hold, body)) return;
      break;
    } catch (err) {
      logger.warn({ err, accountId: hold.accountId }, 'an answer was not stored under its idempotency key');
    }
  }
  await settle(logger, hold, store.release(hold));
  throw new DomainError(
    'outcome_unknown',
    'The answer could not be kept. Repeat the request with its Idempotency-Key to learn its outcome.',
  );
}

/** The record's lease ends by itself when this fails. */
async function settle(logger: Logger, hold: Hold, work: Promise<void>): Promise<void> {
  await work.catch((err: unknown) =>
    logger.warn({ err, accountId: hold.accountId }, 'an idempotency record was not settled'),
  );
}
