import { emailKey } from '@app/contracts/email-key';
import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from './user.entity.ts';

/**
 * Whose address it is, in any spelling; rather the user who has this very one, because two may have one mailbox. What is stored is in
 * lower case.
 */
export async function findUserByEmail(em: EntityManager, email: string) {
  const own = email.toLowerCase();
  const users = await em.find(User, { $or: [{ email: own }, { emailKey: emailKey(email) }] });
  return users.find((user) => user.email === own) ?? users[0] ?? null;
}
