import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import type { optOut as contract } from '@app/contracts/reminders';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { hashOf } from '../checkouts/secret.ts';
import { optedOut } from './reminder-conditions.ts';

type OptOut = RequestOutput<typeof contract>;

interface Token {
  readonly account_id: string;
  readonly email: string;
}

const tokenStatement = statement<Token>(
  'opt-out-token',
  'select account_id, email from opt_out_tokens where token_hash = $1',
  { account_id: 'text', email: 'text' },
);

const findStatement = statement<{ opted_out: boolean }>('opt-out-find', `select ${optedOut('$1', '$2')} as opted_out`, {
  opted_out: 'bool',
});

/**
 * Whose reminders the token ends, and whether they have ended.
 * @throws DomainError not_found for an unknown token
 */
export async function getOptOut({ database }: { database: Database }, token: string): Promise<OptOut> {
  const { account_id, email } = await requireToken(database, token);
  const { rows } = await database.pool.query(findStatement([account_id, emailKey(email)]));
  return await optOutOf(database, account_id, rows[0]?.opted_out ?? false);
}

const optOutStatement = statement(
  'opt-out',
  `insert into opt_outs (account_id, email, email_key, opted_out_at) values ($1, $2, $3, $4)
   on conflict (account_id, email) do update set email_key = excluded.email_key`,
);

/**
 * Ends the seller's reminders to the buyer for good; a repeat changes nothing.
 * @throws DomainError not_found
 */
export async function optOut(
  { database, clock }: { database: Database; clock: Clock },
  token: string,
): Promise<OptOut> {
  const { account_id, email } = await requireToken(database, token);
  await database.pool.query(optOutStatement([account_id, email, emailKey(email), clock.now()]));
  return await optOutOf(database, account_id, true);
}

async function requireToken({ pool }: Database, token: string): Promise<Token> {
  const { rows } = await pool.query(tokenStatement([hashOf(token)]));
  if (rows[0] === undefined) throw new DomainError('not_found', 'This link is not a valid link to end reminders.');
  return rows[0];
}

async function optOutOf(database: Database, accountId: string, optedOut: boolean): Promise<OptOut> {
  const { businessName } = await readSettingsOf(database.pool, accountId);
  return { businessName, optedOut };
}
