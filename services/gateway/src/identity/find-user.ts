import { emailKey } from '@app/contracts/email-key';
import { type Database, statement } from '@app/service-kit/database';
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

/** Takes the address in lower case and its key; chooses the user as `insertLetterStatement` does. */
const verifiedStatement = statement<{ email_verified: boolean }>(
  'user-address-verified',
  `select a.email_verified from (
     select account_id from users where email = $1 or email_key = $2 order by email = $1 desc limit 1) as u
   join accounts as a on a.id = u.account_id`,
  { email_verified: 'bool' },
);

/** Whether it is the address of an account that has verified it. */
export async function isVerifiedAddress({ pool }: Pick<Database, 'pool'>, email: string): Promise<boolean> {
  const { rows } = await pool.query(verifiedStatement([email.toLowerCase(), emailKey(email)]));
  return rows[0]?.email_verified ?? false;
}
