import { accountSettingsTable } from '@app/account-settings/tables';
import { messagingTables, sentNotificationsTable } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { disputes } from './0001-initial/disputes.ts';
import { charges, holds, paymentMethods, payments } from './0001-initial/payments.ts';
import { processorEvents } from './0001-initial/processor-events.ts';
import { processors, simulatedProcessor } from './0001-initial/processors.ts';
import { comparisons, dailyRuns } from './0001-initial/runs.ts';
import { renewals, subscriptions } from './0001-initial/subscriptions.ts';

const parts = [
  messagingTables,
  accountSettingsTable,
  sentNotificationsTable,
  payments,
  charges,
  disputes,
  holds,
  paymentMethods,
  subscriptions,
  renewals,
  dailyRuns,
  comparisons,
  processors,
  processorEvents,
  simulatedProcessor,
];

/** The tables of payments, subscriptions, daily runs and processors. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
