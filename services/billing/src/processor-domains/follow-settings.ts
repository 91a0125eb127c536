import { storeSettings } from '@app/account-settings/settings-handler';
import { accountSettingsChanged } from '@app/contracts/accounts';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import { expectOtherPages } from './domain-rows.ts';

/** Stores settings that the gateway publishes, and lets the domain of another page of a seller's own be registered. */
export const followSettings: EventHandler = onEvent(accountSettingsChanged, async (events, client) => {
  await storeSettings(events, client);
  await expectOtherPages(client, [...new Set(events.map(({ accountId }) => accountId))]);
});
