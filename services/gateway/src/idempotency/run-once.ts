import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import { disposalOf } from './idempotency.rules.ts';
import type { IdempotencyStore, RecordKey, StoredAnswer } from './idempotency-store.ts';

/** The first request under this key was refused; here is that refusal again, byte for byte. */
export class ReplayedRefusal extends Error {
  override readonly name = 'ReplayedRefusal';
  readonly answer: StoredAnswer;

  constructor(answer: StoredAnswer) {
    super(`replayed refusal, status ${answer.status}`);
    this.answer = answer;
  }
}

export interface IdempotentCall {
  readonly record: RecordKey;
  /** Digest of what was asked: the same for the same request. */
  readonly fingerprint: Buffer;
  readonly commandId: string;
  readonly now: Date;
  run(commandId: string): Promise<Uint8Array>;
  /** The refusal as the caller will see it. */
  refusal(err: DomainError): StoredAnswer;
}

export interface IdempotentResult {
  readonly body: Uint8Array;
  readonly replayed: boolean;
}

/**
 * Runs the call, or answers with what the first request under its key got. Throws `idempotency_key_in_use`,
 * `idempotency_key_reused`, a ReplayedRefusal, or what the call throws.
 */
export async function runOnce(
  store: IdempotencyStore,
  logger: Logger,
  call: IdempotentCall,
): Promise<IdempotentResult> {
  const { record } = call;
  const reservation = await store.reserve(record, call.fingerprint, call.commandId, call.now);
  if (reservation.kind === 'in-use') {
    throw new DomainError('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.');
  }
  if (reservation.kind === 'reused') {
    throw new DomainError('idempotency_key_reused', 'This Idempotency-Key was used with another method, path or body.');
  }
  if (reservation.kind === 'done') {
    if (reservation.answer.status !== 200) throw new ReplayedRefusal(reservation.answer);
    return { body: reservation.answer.body, replayed: true };
  }
  // The effect stands whatever becomes of the record: an unwritten answer is found again through the command id.
  const settle = (work: Promise<void>) =>
    work.catch((err: unknown) =>
      logger.warn({ err, accountId: record.accountId }, 'an idempotency record was not settled'),
    );
  let body: Uint8Array;
  try {
    body = await call.run(reservation.commandId);
  } catch (err) {
    const disposal = disposalOf(err);
    if (disposal === 'store') await settle(store.complete(record, call.refusal(err as DomainError)));
    else await settle(disposal === 'release' ? store.release(record) : store.forget(record));
    throw err;
  }
  await settle(store.complete(record, { status: 200, body }));
  return { body, replayed: false };
}
