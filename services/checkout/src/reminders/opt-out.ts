import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { optOut as contract } from '@app/contracts/reminders';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { hashOf } from '../checkouts/secret.ts';

type OptOut = RequestOutput<typeof contract>;

const findStatement = statement<{ account_id: string; opted_out: boolean }>(
  'opt-out-find',
  `select t.account_id, exists (
     select from opt_outs as u where u.account_id = t.account_id and u.email = t.email) as opted_out
   from opt_out_tokens as t where t.token_hash = $1`,
  { account_id: 'text', opted_out: 'bool' },
);

/**
 * Whose reminders the token ends, and whether they have ended.
 * @throws DomainError not_found for an unknown token
 */
export async function getOptOut({ database }: { database: Database }, token: string): Promise<OptOut> {
  const { rows } = await database.pool.query(findStatement([hashOf(token)]));
  return await resultOf(database, rows[0]);
}

const optOutStatement = statement<{ account_id: string; opted_out: boolean }>(
  'opt-out',
  `insert into opt_outs (account_id, email, opted_out_at)
   select account_id, email, $2 from opt_out_tokens where token_hash = $1
   on conflict (account_id, email) do update set opted_out_at = opt_outs.opted_out_at
   returning account_id, true as opted_out`,
  { account_id: 'text', opted_out: 'bool' },
);

/**
 * Ends the seller's reminders to the buyer for good; a repeat changes nothing.
 * @throws DomainError not_found
 */
export async function optOut(
  { database, clock }: { database: Database; clock: Clock },
  token: string,
): Promise<OptOut> {
  const { rows } = await database.pool.query(optOutStatement([hashOf(token), clock.now()]));
  return await resultOf(database, rows[0]);
}

async function resultOf(
  database: Database,
  row: { readonly account_id: string; readonly opted_out: boolean } | undefined,
): Promise<OptOut> {
  if (row === undefined) throw new DomainError('not_found', 'This link is not a valid link to end reminders.');
  const { businessName } = await readSettingsOf(database.pool, row.account_id);
  return { businessName, optedOut: row.opted_out };
}
