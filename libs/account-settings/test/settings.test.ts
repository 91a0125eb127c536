import { type accountSettingsChanged, newAccountSettings, type Settings } from '@app/contracts/accounts';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Database } from '@app/service-kit/database';
import { defineDatabase } from '@app/service-kit/define-database';
import { Migration } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns } from '@app/testing/long';
import { type OpenedDatabase, openMigratedDatabase } from '@app/testing/opened-database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings, readSettingsOf } from '../src/read-settings.ts';
import { settingsHandler } from '../src/settings-handler.ts';
import { accountSettingsTable } from '../src/tables.ts';

guardLeaks();

class Initial extends Migration {
  override up(): void {
    this.addSql(accountSettingsTable);
  }
}
const { databaseOptions, migrate } = defineDatabase('account-settings', {
  migrations: [{ name: '0001-initial', class: Initial }],
});
let storage: OpenedDatabase;
let database: Database;
beforeAll(async () => {
  storage = await openMigratedDatabase('account-settings', migrate, databaseOptions);
  ({ database } = storage);
});
afterAll(() => storage.close());

type Changed = ReceivedEvent<EventData<typeof accountSettingsChanged>>;

const settingsOf = (changes: Partial<Settings> = {}): Settings => ({
  ...{ ...newAccountSettings, handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' },
  ...changes,
});
const changed = (accountId: string, revision: number, changes: Partial<Settings> = {}): Changed => ({
  ...{ id: newId('event', Date.now()), accountId, occurredAt: '2026-01-15T12:00:00.000Z', requestId: null },
  traceparent: undefined,
  data: { ...settingsOf(changes), revision, changedAt: '2026-01-15T12:00:00.000Z' },
});
const keep = (events: readonly Changed[]) =>
  database.transaction((client) => settingsHandler.handle(events as never, client, () => undefined));
const newAccount = () => newId('account', Date.now());

test('an account that no event named has the settings of a new one, and no name', async () => {
  const accountId = newAccount();
  const unknown = { ...newAccountSettings, handle: '', businessName: '', supportEmail: '' };
  expect(await readSettingsOf(database.pool, accountId)).toEqual(unknown);
  const known = newAccount();
  await keep([changed(known, 4, { checkoutUrl: 'https://shop.example.com/' })]);
  const read = await readSettings(database.pool, [accountId, known, known]);
  expect([...read]).toEqual([
    [accountId, unknown],
    [known, settingsOf({ checkoutUrl: 'https://shop.example.com/' })],
  ]);
  expect(await readSettings(database.pool, [])).toEqual(new Map());
});

test('a setting that is younger than the account’s last event has the value of a new account', async () => {
  const accountId = newAccount();
  await keep([changed(accountId, 1, { commissionHoldDays: 5 })]);
  await database.pool.query(
    `update account_settings set settings = settings - 'dailyChargeLimit' where account_id = $1`,
    [accountId],
  );
  expect(await readSettingsOf(database.pool, accountId)).toEqual(settingsOf({ commissionHoldDays: 5 }));
});

test('however changes come, doubled, reordered and in batches, the one with the highest number holds', async () => {
  const arrivals = fc.array(fc.array(fc.record({ account: fc.nat(2), revision: fc.integer({ min: 1, max: 9 }) })), {
    maxLength: 8,
  });
  const property = fc.asyncProperty(arrivals, async (batches) => {
    const accounts = [newAccount(), newAccount(), newAccount()];
    const highest = new Map<string, number>();
    for (const batch of batches) {
      const events = batch.map(({ account, revision }) =>
        changed(accounts[account] ?? '', revision, { commissionHoldDays: revision }),
      );
      for (const { accountId, data } of events)
        highest.set(accountId, Math.max(highest.get(accountId) ?? 0, data.revision));
      await keep(events);
    }
    const read = await readSettings(database.pool, accounts);
    for (const accountId of accounts)
      expect(read.get(accountId)?.commissionHoldDays).toBe(
        highest.get(accountId) ?? newAccountSettings.commissionHoldDays,
      );
  });
  await fc.assert(property, randomRuns(20, 200));
});

test('batches that name the same accounts in opposite orders do not deadlock', async () => {
  const accounts = Array.from({ length: 50 }, newAccount);
  const batch = (revision: number) => accounts.map((accountId) => changed(accountId, revision));
  await Promise.all([1, 2, 3, 4].map((no) => keep(no % 2 === 0 ? batch(no).toReversed() : batch(no))));
  const { rows } = await database.pool.query(
    'select distinct revision from account_settings where account_id = any($1)',
    [accounts],
  );
  expect(rows).toEqual([{ revision: 4 }]);
});
