import { emailKey } from '@app/contracts/email-key';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { entryValues, insertEntryStatement } from './audit/audit-entry.ts';
import { operatorEntry } from './audit/operator-entry.ts';
import { removeFactorsStatement } from './factors/user-factors.ts';
import { insertLoginLink } from './login-link.ts';

interface Found {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
}

/** Two users may have one mailbox: rather the one who has this very address. */
const findStatement = statement<Found>(
  'recover-find',
  'select id, account_id, email from users where email = $1 or email_key = $2 order by email = $1 desc, id limit 1 for update',
  { id: 'text', account_id: 'text', email: 'text' },
);
const endStatement = statement(
  'recover-end-sessions',
  'with links as (delete from login_links where user_id = $1) delete from sessions where user_id = $1',
);

/**
 * Lets a user who has lost every factor in again: their factors, sessions and log-ins that wait end, and a link logs them in, once,
 * within ten minutes. All of it is one transaction with its entry in the audit log. Only who holds the database calls it: there is no
 * operation for it.
 * @returns the user's address and the link's path; null when no user has the address
 */
export async function recoverAccount(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  email: string,
): Promise<{ readonly email: string; readonly path: string } | null> {
  return await database.transaction(async (client) => {
    const { rows } = await client.query(findStatement([email.trim().toLowerCase(), emailKey(email)]));
    const [user] = rows;
    if (user === undefined) return null;
    const now = clock.now();
    await client.query(removeFactorsStatement([user.id]));
    await client.query(endStatement([user.id]));
    await client.query(insertEntryStatement(entryValues(operatorEntry(user.account_id, 'recover', now))));
    return { email: user.email, path: await insertLoginLink(client, user.id, now) };
  });
}
