import { accountSettingsTable } from '@app/account-settings/tables';
import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { conservation, lost } from './0001-initial/conservation.ts';
import { attempts, deliveries, events } from './0001-initial/deliveries.ts';
import { endpoints, recoveries } from './0001-initial/endpoints.ts';

const parts = [
  messagingTables,
  accountSettingsTable,
  endpoints,
  recoveries,
  events,
  deliveries,
  attempts,
  conservation,
  lost,
];

/** The tables of endpoints, events, deliveries and what proves them. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
    // One row: the number of the last run, and how far the round over the older events is.
    this.addSql('insert into conservation default values');
  }
}
