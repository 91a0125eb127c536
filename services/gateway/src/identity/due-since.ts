import { type Database, statement } from '@app/service-kit/database';

const ownStatement = statement<{ created_at: Date }>(
  'due-since-of-account',
  'select created_at from accounts where id = $1',
  { created_at: 'timestamptz' },
);

/** Ids are in the order in which accounts were made, so that the first one is read by the key. */
const firstStatement = statement<{ created_at: Date }>(
  'due-since-of-first',
  'select created_at from accounts order by id limit 1',
  { created_at: 'timestamptz' },
);

/**
 * Since when a daily run is due each day: since the account was made, and for the platform, which has none, since the first one
 * was; undefined where there is no account.
 * @param accountId empty for the platform
 */
export async function dueSince({ pool }: Database, accountId: string): Promise<Date | undefined> {
  const { rows } = await pool.query(accountId === '' ? firstStatement() : ownStatement([accountId]));
  return rows[0]?.created_at;
}
