import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { EarlierPurchasesPlan } from './0003-earlier-purchases-plan.ts';
import { Wallets } from './0004-wallets.ts';
import { LeftOfHolds } from './0005-left-of-holds.ts';
import { CopiedCheckouts } from './0006-copied-checkouts.ts';
import { EmailKeys } from './0007-email-keys.ts';
import { ExpectedRefunds } from './0008-expected-refunds.ts';
import { Customers } from './0009-customers.ts';
import { DisputedOrders } from './0010-disputed-orders.ts';
import { WaitingCheckouts } from './0011-waiting-checkouts.ts';
import { Withdrawals } from './0012-withdrawals.ts';
import { ImmediateAccess } from './0013-immediate-access.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  { name: '0003-earlier-purchases-plan', class: EarlierPurchasesPlan },
  { name: '0004-wallets', class: Wallets },
  { name: '0005-left-of-holds', class: LeftOfHolds },
  { name: '0006-copied-checkouts', class: CopiedCheckouts },
  { name: '0007-email-keys', class: EmailKeys },
  { name: '0008-expected-refunds', class: ExpectedRefunds },
  installationMigration,
  { name: '0011-waiting-checkouts', class: WaitingCheckouts },
  { name: '0009-customers', class: Customers },
  { name: '0010-disputed-orders', class: DisputedOrders },
  { name: '0012-withdrawals', class: Withdrawals },
  { name: '0013-immediate-access', class: ImmediateAccess },
];
