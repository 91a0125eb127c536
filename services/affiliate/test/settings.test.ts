import { readSettingsOf } from '@app/account-settings/read-settings';
import { accountSettingsChanged, newAccountSettings } from '@app/contracts/accounts';
import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { service, startService } from './set-up.ts';

startService();

test('settings that the gateway publishes are kept, and those of a later change hold whenever they come', async () => {
  const accountId = newId('account', Date.now());
  const publish = (revision: number, commissionHoldDays: number) =>
    service.publish(accountSettingsChanged, accountId, {
      ...{ ...newAccountSettings, handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' },
      ...{ commissionHoldDays, revision, changedAt: '2026-01-15T12:00:00.000Z' },
    });
  const held = async () => (await readSettingsOf(service.database.pool, accountId)).commissionHoldDays;
  expect(await held()).toBe(30);
  await publish(3, 7);
  await service.handled();
  expect(await held()).toBe(7);
  await publish(2, 14);
  await publish(4, 0);
  await service.handled();
  expect(await held()).toBe(0);
});
