import { accountSettingsMigration } from '@app/account-settings/tables';
import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import { movedFromCommands, sentNotificationsMigration } from '@app/messaging/notify-once';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { OneOutcome } from './0003-one-outcome.ts';
import { Checkouts } from './0005-checkouts.ts';
import { Refunds } from './0006-refunds.ts';
import { DecidedUpsells } from './0007-decided-upsells.ts';
import { FasterItemsTotal } from './0009-faster-items-total.ts';
import { Reminders } from './0010-reminders.ts';
import { RefusedReminders } from './0011-refused-reminders.ts';
import { RunsOfAccount } from './0012-runs-of-account.ts';
import { PaymentRefunds } from './0013-payment-refunds.ts';
import { WhatWasShown } from './0015-what-was-shown.ts';
import { RepeatedPurchases } from './0016-repeated-purchases.ts';
import { AuthorizedOrders } from './0018-authorized-orders.ts';
import { RemindersHandedOverApart } from './0021-reminders-handed-over-apart.ts';
import { OpenCheckouts } from './0023-open-checkouts.ts';
import { PaidCheckouts } from './0024-paid-checkouts.ts';
import { RemindersOfAll } from './0026-reminders-of-all.ts';
import { RehearsalsOfBuyer } from './0027-rehearsals-of-buyer.ts';
import { FilteredOrders } from './0028-filtered-orders.ts';
import { UnfinishedCheckouts } from './0029-unfinished-checkouts.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  { name: '0003-one-outcome', class: OneOutcome },
  eventTriesMigration,
  { name: '0005-checkouts', class: Checkouts },
  { name: '0006-refunds', class: Refunds },
  { name: '0007-decided-upsells', class: DecidedUpsells },
  accountSettingsMigration('0008'),
  { name: '0009-faster-items-total', class: FasterItemsTotal },
  { name: '0010-reminders', class: Reminders },
  { name: '0011-refused-reminders', class: RefusedReminders },
  { name: '0012-runs-of-account', class: RunsOfAccount },
  { name: '0013-payment-refunds', class: PaymentRefunds },
  { name: '0015-what-was-shown', class: WhatWasShown },
  { name: '0016-repeated-purchases', class: RepeatedPurchases },
  { name: '0018-authorized-orders', class: AuthorizedOrders },
  { name: '0021-reminders-handed-over-apart', class: RemindersHandedOverApart },
  { name: '0023-open-checkouts', class: OpenCheckouts },
  { name: '0024-paid-checkouts', class: PaidCheckouts },
  sentNotificationsMigration('0025', [
    movedFromCommands('^reminders overdue (\\S+) (\\S+)$', 'm[1]', `'reminders overdue ' || m[2]`),
  ]),
  { name: '0026-reminders-of-all', class: RemindersOfAll },
  { name: '0027-rehearsals-of-buyer', class: RehearsalsOfBuyer },
  { name: '0028-filtered-orders', class: FilteredOrders },
  { name: '0029-unfinished-checkouts', class: UnfinishedCheckouts },
];
