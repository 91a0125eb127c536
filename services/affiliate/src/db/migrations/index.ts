import { accountSettingsMigration } from '@app/account-settings/tables';
import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { OrderRefunds } from './0004-order-refunds.ts';
import { Ledger } from './0006-ledger.ts';
import { LedgerBalances } from './0007-ledger-balances.ts';
import { RefundedParts } from './0008-refunded-parts.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  eventTriesMigration,
  { name: '0004-order-refunds', class: OrderRefunds },
  accountSettingsMigration('0005'),
  { name: '0006-ledger', class: Ledger },
  { name: '0007-ledger-balances', class: LedgerBalances },
  { name: '0008-refunded-parts', class: RefundedParts },
];
