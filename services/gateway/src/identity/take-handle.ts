import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Each one is kept for good: an account must not take the names of others for ever. */
const handlesMax = 20;

/** The key of the table decides between two accounts; a handle that the account had before is its own. */
const takeStatement = statement<{ earlier: number; added: boolean }>(
  'take-handle-take',
  `
  insert into account_handles as h (handle, account_id, taken_at) values ($1, $2, $3)
  on conflict (handle) do update set taken_at = h.taken_at where h.account_id = excluded.account_id
  returning (select count(*)::int from account_handles where account_id = h.account_id) as earlier,
    (xmax = 0) as added`,
  { earlier: 'int4', added: 'bool' },
);

/**
 * Gives the account a handle, in the transaction that writes the account; those it had stay its own.
 * @throws DomainError handle_taken when another account has or had it, validation_failed beyond 20 handles
 */
export async function takeHandle(tx: EntityManager, accountId: string, handle: string, takenAt: Date): Promise<void> {
  const [taken] = await executeBound(tx, takeStatement([handle, accountId, takenAt]));
  if (taken === undefined) throw handleTaken();
  if (taken.added && taken.earlier >= handlesMax) {
    throw invalidField(
      'handle',
      `was changed ${handlesMax - 1} times, the most that is allowed: choose an earlier one`,
      'too_many',
    );
  }
}

export function handleTaken(): DomainError {
  const field = { field: 'handle', code: 'handle_taken', message: 'belongs to another account, or did' };
  return new DomainError('handle_taken', 'Another account has or had this handle.', [field]);
}

/** A word that begins addresses of another kind. */
export function handleReserved(): DomainError {
  const field = { field: 'handle', code: 'handle_taken', message: 'is kept for other addresses' };
  return new DomainError('handle_taken', 'This handle is reserved: choose another one.', [field]);
}
