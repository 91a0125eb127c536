import { accountSettingsTable } from '@app/account-settings/tables';
import { messagingTables, sentNotificationsTable } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { checkouts, soldSubscriptions } from './0001-initial/checkouts.ts';
import { orderOutcomes, orders, refunds } from './0001-initial/orders.ts';
import { reminders } from './0001-initial/reminders.ts';

const parts = [
  messagingTables,
  accountSettingsTable,
  sentNotificationsTable,
  orders,
  orderOutcomes,
  refunds,
  checkouts,
  soldSubscriptions,
  reminders,
];

/** The tables of orders, checkouts and reminders. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
