import { readSettingsOf } from '@app/account-settings/read-settings';
import { accountSettingsChanged, newAccountSettings } from '@app/contracts/accounts';
import { newId } from '@app/contracts/ids';
import { eventsHandled } from '@app/messaging/points';
import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { type Producers, startProducers } from '@app/testing/producers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { createHarness, type Harness } from './harness.ts';

guardLeaks();
let harness: Harness;
let producers: Producers;
let database: Database;
beforeAll(async () => {
  harness = await createHarness();
  producers = await startProducers(harness.nats, ['gateway']);
  database = await openDatabase(databaseOptions(harness.database.url));
  await harness.start();
});
afterAll(async () => {
  await Promise.all([database.close(), producers.close()]);
  await harness.close();
});

test('settings that the gateway announces are kept for reminders, which have no caller', async () => {
  const accountId = newId('account', Date.now());
  const held = () => readSettingsOf(database.pool, accountId);
  expect(await held()).toMatchObject({ nudgeAfterMinutes: 60, checkoutUrl: null, businessName: '' });
  const settings = { ...newAccountSettings, handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' };
  const changes = { nudgeAfterMinutes: 120, checkoutUrl: 'https://shop.example.com/' };
  const data = { ...settings, ...changes, revision: 2, changedAt: '2026-01-15T12:00:00.000Z' };
  const event = { id: newId('event', Date.now()), accountId, occurredAt: '2026-01-15T12:00:00.000Z', data };
  await producers.publish(accountSettingsChanged, event);
  await announced(eventsHandled, ({ events }) => events.some(({ id }) => id === event.id));
  expect(await held()).toEqual({ ...settings, ...changes });
});
