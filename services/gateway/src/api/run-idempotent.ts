import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import { idSuffixOf } from '@app/contracts/ids';
import type { Logger } from '@app/service-kit/logger';
import type { Owner, StoredAnswers } from '../limits/stored-answers.ts';
import { responseStored } from '../points/points.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { disposalOf, retryAfterSeconds } from './idempotency.rules.ts';
import type { Fingerprints, IdempotencyStore, RecordKey, RecordLease } from './idempotency-store.ts';

export interface IdempotentCall {
  readonly record: RecordKey;
  /** See `IdempotencyStore.fingerprints`. */
  readonly fingerprints: Fingerprints;
  readonly commandId: string;
  readonly now: Date;
  /** How long the request keeps the key to itself. */
  readonly leaseSeconds: number;
  /** Runs nothing but a request that ended without a known outcome. */
  readonly onlyRepeats: boolean;
  /** Whose bytes a record and its response take. */
  readonly owner: Owner;
  /** Repeating it has one effect without a record too: where its owner has no room for one, it is done all the same. */
  readonly isIdempotent: boolean;
  run(commandId: string): Promise<Uint8Array>;
  /**
   * The part of a response that is stored for repetitions: all but its secrets. Undefined for one that shows work still
   * under way: a repetition runs again, as the same command.
   */
  stored(body: Uint8Array): Uint8Array | undefined;
}

interface Stores {
  readonly idempotency: IdempotencyStore;
  readonly storedAnswers: StoredAnswers;
  readonly logger: Logger;
}

export interface IdempotentResult {
  readonly body: Uint8Array;
  readonly replayed: boolean;
}

/**
 * Runs the call, or returns the stored response of the first request under its key.
 * @throws DomainError idempotency_budget_used, idempotency_key_in_use, idempotency_key_reused, version_changed where it only repeats and there is no first
 * request, or what the call throws
 */
export async function runIdempotent(
  { idempotency: store, storedAnswers, logger }: Stores,
  call: IdempotentCall,
): Promise<IdempotentResult> {
  const { record } = call;
  const reservation = await store.reserve(record, call, call.now);
  if (reservation.kind === 'in-use') {
    const detail =
      'The first request with this Idempotency-Key is still running: repeat it after the header `retry-after`.';
    throw new RetryLaterError(
      'idempotency_key_in_use',
      detail,
      retryAfterSeconds(reservation.leaseLeftSeconds, call.leaseSeconds),
    );
  }
  if (reservation.kind === 'reused') {
    const detail =
      'This Idempotency-Key was used for a request with another method, path or body, or by another key or user: use a new one.';
    throw new DomainError('idempotency_key_reused', detail);
  }
  if (reservation.kind === 'done') return { body: reservation.body, replayed: true };
  const { lease } = reservation;
  if (call.onlyRepeats && !lease.retried) {
    await finish(logger, lease, store.deleteRecord(lease));
    throw new DomainError('version_changed', 'No earlier request had this Idempotency-Key.');
  }
  // What has begun once may end: only what is new needs room.
  if (lease.retried || !call.isIdempotent || storedAnswers.hasRoom(call.owner))
    return { body: await runKept({ idempotency: store, storedAnswers, logger }, call, lease), replayed: false };
  try {
    return { body: await call.run(commandIdOf(call)), replayed: false };
  } finally {
    await finish(logger, lease, store.deleteRecord(lease));
  }
}

/**
 * Of a call without a record: a repeat is the same command, as with one, so that it finds what the first had begun. Its key for
 * another body is another command.
 */
function commandIdOf({ record, fingerprints: [fingerprint] }: IdempotentCall): string {
  const text = JSON.stringify([record.accountId, record.key, fingerprint.toString('base64url')]);
  return idSuffixOf(0, hash('sha256', text, 'buffer'));
}

/** Runs the call, and stores its response. */
async function runKept(
  { idempotency: store, storedAnswers, logger }: Stores,
  call: IdempotentCall,
  lease: RecordLease,
): Promise<Uint8Array> {
  let isCounted = false;
  let body: Uint8Array;
  try {
    if (!lease.retried) {
      storedAnswers.begun(call.owner);
      isCounted = true;
    }
    body = await call.run(lease.commandId);
  } catch (err) {
    const disposal = disposalOf(err, lease.retried);
    await finish(logger, lease, store[disposal](lease));
    if (isCounted && disposal === 'deleteRecord') storedAnswers.freed(call.owner);
    throw err;
  }
  const stored = call.stored(body);
  if (stored === undefined) await finish(logger, lease, store.endLease(lease));
  else storedAnswers.stored(call.owner, await storeResponse(store, logger, lease, stored));
  return body;
}

const storePausesMs = [0, 100, 500];

/**
 * Stores the response before it is sent. If it were sent without being stored, a repetition would run the command again
 * and, for a new API key, replace the key that the caller already has.
 * @returns the bytes that it takes
 * @throws DomainError outcome_unknown when it cannot be stored
 */
async function storeResponse(
  store: IdempotencyStore,
  logger: Logger,
  lease: RecordLease,
  body: Uint8Array,
): Promise<number> {
  for (const pauseMs of storePausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    try {
      const bytes = await store.complete(lease, body);
      if (bytes === null) break;
      responseStored.announce(() => ({ accountId: lease.accountId, key: lease.key }));
      return bytes;
    } catch (err) {
      logger.warn({ err, accountId: lease.accountId }, 'the response of an idempotent request could not be stored');
    }
  }
  await finish(logger, lease, store.endLease(lease));
  throw new DomainError(
    'outcome_unknown',
    'The answer could not be stored. Repeat the request with its Idempotency-Key to learn its outcome.',
  );
}

/** When this fails, the record's lease ends by itself. */
async function finish(logger: Logger, lease: RecordLease, work: Promise<void>): Promise<void> {
  await work.catch((err: unknown) =>
    logger.warn({ err, accountId: lease.accountId }, 'an idempotency record was not updated'),
  );
}
