import { DomainError } from '@app/contracts/errors';
import { type Database, statement } from '@app/service-kit/database';
import type { Actor } from './actors.ts';

const endOne = statement('session-end', 'delete from sessions where user_id = $1 and id = $2');
const endOthers = statement('sessions-end-others', 'delete from sessions where user_id = $1 and id <> $2');

/**
 * Ends one session of the caller.
 * @throws DomainError session_not_found
 */
export async function endSession({ pool }: Database, { userId }: Actor, sessionId: string): Promise<void> {
  const { rowCount } = await pool.query(endOne([userId, sessionId]));
  if (rowCount === 0) throw new DomainError('session_not_found', 'No session of this user has this id.');
}

/** Ends all sessions of the caller but the one of this request. */
export async function endOtherSessions({ pool }: Database, { userId, sessionId }: Actor): Promise<void> {
  await pool.query(endOthers([userId, sessionId]));
}
