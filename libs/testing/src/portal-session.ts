import { randomBytes } from 'node:crypto';
import { query } from './sql.ts';

/**
 * A buyer's session of the portal, as a link by email opens it.
 * @param databaseUrl of the gateway
 * @param of `subscriptionId`: a session for the card of that subscription alone
 * @returns its secret
 */
export async function openPortalSession(
  databaseUrl: string,
  accountId: string,
  of: { readonly email: string; readonly subscriptionId?: string },
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await query(
    databaseUrl,
    `insert into portal_sessions (hash, account_id, email, subscription_id, created_at, expires_at)
     values (sha256($1), $2, $3, $4, now(), now() + interval '1 day')`,
    [secret, accountId, of.email, of.subscriptionId ?? null],
  );
  return secret;
}
