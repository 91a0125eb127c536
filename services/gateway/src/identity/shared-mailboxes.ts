import { emailKey } from '@app/contracts/email-key';
import { type Database, statement, unnamed } from '@app/service-kit/database';
import { type KeyedEmails, readRowsWithoutKey } from '@app/service-kit/email-keys';
import type { Logger } from '@app/service-kit/logger';
import { type Gauge, observeGauges, serviceGauge } from '@app/service-kit/metrics';

const read = readRowsWithoutKey('users', 'email', 'id');
/** `$1` ids, `$2` keys. A key that another user has is left to that one. */
const write = statement(
  'email-keys-users-write',
  `update users as t set email_key = case
     when k.email_key is null or exists (select from users as o where o.email_key = k.email_key) then ' ' || t.email
     else k.email_key end
   from unnest($1::text[], $2::text[]) as k(id, email_key)
   where t.id = k.id and t.email_key is null`,
);

const batchMax = 5_000;

/**
 * The keys of users. Until 0.2.0 two spellings of one mailbox were two accounts: they stay apart, and each is logged in to by its
 * address as it was typed. The older one has the key.
 */
export const userKeys: KeyedEmails = {
  table: 'users',
  fill: async (client, from) => {
    const { rows } = await client.query(unnamed(read([from, batchMax])));
    const last = rows.at(-1);
    if (last === undefined) return null;
    const taken = new Set<string>();
    const keys = rows.map(({ email }) => {
      const key = emailKey(email);
      if (taken.has(key)) return null;
      taken.add(key);
      return key;
    });
    await client.query(unnamed(write([rows.map(({ id }) => id), keys])));
    return { last: last.id, rows: rows.length };
  },
};

interface Apart {
  readonly account_id: string;
  readonly email: string;
}

const apartStatement = statement<Apart>(
  'users-of-shared-mailboxes',
  `select account_id, email from users where left(email_key, 1) = ' ' order by account_id limit 1000`,
  { account_id: 'text', email: 'text' },
);
const holdersStatement = statement<{ account_id: string; email_key: string }>(
  'users-with-keys',
  'select account_id, email_key from users where email_key = any ($1)',
  { account_id: 'text', email_key: 'text' },
);

/** An account, and the older one whose address is the same mailbox. */
export interface SharedMailbox {
  readonly accountId: string;
  readonly olderAccountId: string | null;
}

/** At most 1,000 accounts that stay apart from one whose address is the same mailbox. */
export async function sharedMailboxes({ pool }: Database): Promise<SharedMailbox[]> {
  const { rows: apart } = await pool.query(apartStatement());
  if (apart.length === 0) return [];
  const { rows: holders } = await pool.query(holdersStatement([apart.map(({ email }) => emailKey(email))]));
  const byKey = new Map(holders.map(({ account_id, email_key }) => [email_key, account_id]));
  return apart.map(({ account_id, email }) => ({
    accountId: account_id,
    olderAccountId: byKey.get(emailKey(email)) ?? null,
  }));
}

const sharing: Gauge = serviceGauge(
  'accounts.sharing_mailbox',
  '{account}',
  'Accounts whose owner’s address is the same mailbox as that of an older account',
);

/** Names them in the log, once at the start, and counts them in the metrics. */
export async function reportSharedMailboxes(database: Database, logger: Logger): Promise<{ close(): void }> {
  const shared = await sharedMailboxes(database);
  if (shared.length > 0)
    logger.warn({ accounts: shared }, 'accounts have one mailbox in two spellings: each is logged in to by its own');
  return observeGauges('gateway', [sharing], async () => [
    { gauge: sharing, value: (await sharedMailboxes(database)).length },
  ]);
}
