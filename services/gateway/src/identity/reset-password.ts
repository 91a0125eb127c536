import { type Database, statement } from '@app/service-kit/database';
import { hashPassword } from './password.ts';

const resetStatement = statement(
  'password-replaced',
  `with ended as (delete from sessions where user_id = $1), pending as (delete from pending_logins where user_id = $1)
   update users set password_hash = $2 where id = $1`,
);

/** Gives a user a new password and ends all sessions. */
export async function resetPassword({ pool }: Database, userId: string, password: string): Promise<void> {
  await pool.query(resetStatement([userId, await hashPassword(password, '')]));
}
