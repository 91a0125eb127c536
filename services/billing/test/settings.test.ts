import { readSettingsOf } from '@app/account-settings/read-settings';
import { accountSettingsChanged, newAccountSettings } from '@app/contracts/accounts';
import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { harness, startService } from './set-up.ts';

startService();
let database: Database;
beforeAll(async () => {
  database = await openDatabase(databaseOptions(harness.databaseUrl));
});
afterAll(async () => {
  await database.close();
});

test('settings that the gateway announces are kept for the work that has no caller', async () => {
  const accountId = newId('account', Date.now());
  const held = () => readSettingsOf(database.pool, accountId);
  expect(await held()).toMatchObject({ dailyChargeLimit: 3, cancellationNotices: false });
  const settings = { ...newAccountSettings, handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' };
  const changes = { dailyChargeLimit: 0, cancellationNotices: true };
  const data = { ...settings, ...changes, revision: 2, changedAt: '2026-01-15T12:00:00.000Z' };
  await harness.deliver(accountSettingsChanged, { id: newId('event', Date.now()), accountId, data });
  expect(await held()).toEqual({ ...settings, ...changes });
});
