import { accountSettingsChanged, type Settings } from '@app/contracts/accounts';
import type { EventData } from '@app/contracts/define';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';

type SettingsChanged = ReceivedEvent<EventData<typeof accountSettingsChanged>>;

const keptTypes = { account_id: 'text', revision: 'int4', settings: 'jsonb' };
const kept = namesOf(keptTypes);

/** Rows are written in one order of accounts, so that no two batches wait for each other in a circle. */
const keepStatement = statement(
  'account-settings-keep',
  `insert into account_settings as kept (${kept})
   select distinct on (account_id) ${kept}
   from ${tableOf(keptTypes, 1)}
   order by account_id, revision desc
   on conflict (account_id) do update set revision = excluded.revision, settings = excluded.settings
   where kept.revision < excluded.revision`,
);

/** The highest revision holds, so doubled and reordered events end alike. */
export async function storeSettings(events: readonly SettingsChanged[], client: Client): Promise<void> {
  const rows = events.map(({ accountId, data: { revision, changedAt: _, ...settings } }) => ({
    account_id: accountId,
    revision,
    settings,
  }));
  await keepSettings(client, rows);
}

/** Settings as of one change; `revision` is its number. */
interface KeptSettings {
  readonly account_id: string;
  readonly revision: number;
  readonly settings: Settings;
}

/** Keeps each account's settings, unless a later change of them was kept before. */
export async function keepSettings(client: Pick<Client, 'query'>, rows: readonly KeptSettings[]): Promise<void> {
  await client.query(keepStatement(columnsOf(rows, keptTypes)));
}

/** Stores the settings that the gateway publishes; for the list of a service's event handlers. */
export const settingsHandler: EventHandler = onEvent(accountSettingsChanged, storeSettings);
