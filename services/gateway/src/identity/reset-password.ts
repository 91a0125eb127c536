import type { Database } from '@app/service-kit/database';
import { hashPassword } from './password.ts';
import { User } from './user.entity.ts';

/** Gives a user a new password and ends all sessions; returns the account, or null when nobody has this email. */
export async function resetPassword(database: Database, email: string, password: string): Promise<string | null> {
  const passwordHash = await hashPassword(password, '');
  return await database.fork().transactional(async (tx) => {
    const user = await tx.findOne(User, { email: email.toLowerCase() });
    if (user === null) return null;
    user.passwordHash = passwordHash;
    await tx.execute('delete from sessions where user_id = ?', [user.id]);
    return user.accountId;
  });
}
