import { accountSettingsTable } from '@app/account-settings/tables';
import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { affiliates, commissions, payouts, refunds, waitingRenewals } from './0001-initial/commissions.ts';
import { ledger, ledgerBalances } from './0001-initial/ledger.ts';

const parts = [
  messagingTables,
  accountSettingsTable,
  affiliates,
  payouts,
  commissions,
  refunds,
  waitingRenewals,
  ledger,
  ledgerBalances,
];

/** The tables of affiliates, their commissions and the ledger. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
