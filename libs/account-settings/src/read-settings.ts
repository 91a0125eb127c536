import { accountSettings, type Settings, unknownAccountSettings } from '@app/contracts/accounts';
import { type Client, type Database, statement } from '@app/service-kit/database';

/** A pool, or the client of a transaction. */
type Queryable = Pick<Database['pool'], 'query'> | Pick<Client, 'query'>;

const readStatement = statement<{ account_id: string; settings: object }>(
  'account-settings-read',
  'select account_id, settings from account_settings where account_id = any($1::text[])',
  { account_id: 'text', settings: 'jsonb' },
);

/**
 * Settings of many accounts, by account id; every requested id is there. An account that no event named yet has
 * the settings of a new account, and so has a setting that is younger than the account's last event.
 */
export async function readSettings(
  database: Queryable,
  accountIds: Iterable<string>,
): Promise<ReadonlyMap<string, Settings>> {
  const settings = new Map([...accountIds].map((accountId) => [accountId, unknownAccountSettings]));
  if (settings.size === 0) return settings;
  const { rows } = await database.query(readStatement([[...settings.keys()]]));
  for (const row of rows)
    settings.set(row.account_id, accountSettings.parse({ ...unknownAccountSettings, ...row.settings }));
  return settings;
}

/** Settings of one account, as `readSettings` gives them. */
export async function readSettingsOf(database: Queryable, accountId: string): Promise<Settings> {
  return (await readSettings(database, [accountId])).get(accountId) ?? unknownAccountSettings;
}
