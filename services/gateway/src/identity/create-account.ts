import { randomBytes } from 'node:crypto';
import { emailAddress, limits, line } from '@app/contracts/common';
import { newIdSuffix } from '@app/contracts/ids';
import { parseInput } from '@app/contracts/validation';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { z } from 'zod';
import { entryValues, insertEntryStatement } from './audit/audit-entry.ts';
import { operatorEntry } from './audit/operator-entry.ts';
import { letterPaths } from './letters/letter-paths.ts';
import { insertPrintedStatement, newPrintedLink } from './letters/new-letter.ts';
import { signUp } from './sign-up.ts';

const newAccount = z.object({ email: emailAddress, name: line(limits.name, 1) });

/**
 * Makes an account whose user chooses a password by a link, once, within 48 hours: for deployments that take no sign-ups. Its address counts as
 * verified, because who runs the deployment says whose it is. The account, the link and the entry in the audit log are one transaction.
 * @returns the link's path
 * @throws DomainError validation_failed, email_taken
 */
export async function createAccount(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  wanted: { readonly email: string; readonly name: string },
): Promise<{ readonly email: string; readonly path: string }> {
  const { email, name } = parseInput(newAccount, wanted);
  const now = clock.now();
  const link = newPrintedLink(now);
  // Nobody knows this one.
  const password = randomBytes(32).toString('base64url');
  const commandId = newIdSuffix(now.getTime());
  const alsoWrite: Parameters<typeof signUp>[1]['alsoWrite'] = async (tx, { accountId, userId }) => {
    await executeBound(tx, insertPrintedStatement([link.id, userId, link.tokenHash, now, link.expiresAt]));
    await executeBound(tx, insertEntryStatement(entryValues(operatorEntry(accountId, 'create', now))));
  };
  await signUp({ database, clock }, { email, name, password, address: '', alsoWrite }, commandId);
  return { email, path: `${letterPaths.password_reset}/${link.token}` };
}
