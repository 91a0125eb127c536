import { accountSettingsMigration } from '@app/account-settings/tables';
import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { DailyRunsByIndex } from './0004-daily-runs-by-index.ts';
import { SimulatedProcessor } from './0005-simulated-processor.ts';
import { ProcessorSettings } from './0006-processor-settings.ts';
import { Payments } from './0007-payments.ts';
import { ProcessorComparisons } from './0008-processor-comparisons.ts';
import { Renewals } from './0009-renewals.ts';
import { DailyRunProgress } from './0010-daily-run-progress.ts';
import { SubscriptionAnchors } from './0012-subscription-anchors.ts';
import { ToldOrphans } from './0013-books.ts';
import { PaymentsByKey } from './0014-payments-by-key.ts';
import { Rehearsals } from './0015-rehearsals.ts';
import { UnreadableKeys } from './0016-unreadable-keys.ts';
import { AgeOfSimulatedBooks } from './0017-age-of-simulated-books.ts';
import { ExplainedBooks } from './0018-explained-books.ts';
import { LighterRenewals } from './0019-lighter-renewals.ts';
import { RenewalCounts } from './0020-renewal-counts.ts';
import { FewerPaymentIndexes } from './0021-fewer-payment-indexes.ts';
import { LighterStatistics } from './0022-lighter-statistics.ts';
import { LookedUpRenewals } from './0023-looked-up-renewals.ts';
import { ForcedRuns } from './0024-forced-runs.ts';
import { FreeSubscriptions } from './0025-free-subscriptions.ts';
import { RehearsedCurrencies } from './0026-rehearsed-currencies.ts';
import { AnalyzedAsOthers } from './0027-analyzed-as-others.ts';
import { AffiliateNamed } from './0028-affiliate-named.ts';
import { PaymentsBeingReleased } from './0029-payments-being-released.ts';
import { HoldsDueAtDecision } from './0030-holds-due-at-decision.ts';
import { PartialRefunds } from './0033-partial-refunds.ts';
import { HeldInBooks } from './0035-held-in-books.ts';
import { OrderComparisons } from './0036-order-comparisons.ts';
import { UnmatchedPayments } from './0037-unmatched-payments.ts';
import { ChosenProcessors } from './0038-chosen-processors.ts';
import { DeadLettersByAccount } from './0040-dead-letters-by-account.ts';
import { ReopenedCharges } from './0041-reopened-charges.ts';
import { ClockDifferences } from './0042-clock-differences.ts';
import { sentNotifications } from './0043-sent-notifications.ts';
import { WhatPaymentsAreAbout } from './0044-what-payments-are-about.ts';
import { UnknownPaymentsNotified } from './0045-unknown-payments-notified.ts';
import { LimitWaivers } from './0046-limit-waivers.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  eventTriesMigration,
  { name: '0004-daily-runs-by-index', class: DailyRunsByIndex },
  { name: '0005-simulated-processor', class: SimulatedProcessor },
  { name: '0006-processor-settings', class: ProcessorSettings },
  { name: '0007-payments', class: Payments },
  { name: '0008-processor-comparisons', class: ProcessorComparisons },
  { name: '0009-renewals', class: Renewals },
  { name: '0010-daily-run-progress', class: DailyRunProgress },
  accountSettingsMigration('0011'),
  { name: '0012-subscription-anchors', class: SubscriptionAnchors },
  { name: '0013-books', class: ToldOrphans },
  { name: '0014-payments-by-key', class: PaymentsByKey },
  { name: '0015-rehearsals', class: Rehearsals },
  { name: '0016-unreadable-keys', class: UnreadableKeys },
  { name: '0017-age-of-simulated-books', class: AgeOfSimulatedBooks },
  { name: '0018-explained-books', class: ExplainedBooks },
  { name: '0019-lighter-renewals', class: LighterRenewals },
  { name: '0020-renewal-counts', class: RenewalCounts },
  { name: '0021-fewer-payment-indexes', class: FewerPaymentIndexes },
  { name: '0022-lighter-statistics', class: LighterStatistics },
  { name: '0023-looked-up-renewals', class: LookedUpRenewals },
  { name: '0024-forced-runs', class: ForcedRuns },
  { name: '0025-free-subscriptions', class: FreeSubscriptions },
  { name: '0026-rehearsed-currencies', class: RehearsedCurrencies },
  { name: '0027-analyzed-as-others', class: AnalyzedAsOthers },
  { name: '0028-affiliate-named', class: AffiliateNamed },
  { name: '0029-payments-being-released', class: PaymentsBeingReleased },
  { name: '0030-holds-due-at-decision', class: HoldsDueAtDecision },
  { name: '0033-partial-refunds', class: PartialRefunds },
  { name: '0035-held-in-books', class: HeldInBooks },
  { name: '0036-order-comparisons', class: OrderComparisons },
  { name: '0037-unmatched-payments', class: UnmatchedPayments },
  { name: '0038-chosen-processors', class: ChosenProcessors },
  { name: '0040-dead-letters-by-account', class: DeadLettersByAccount },
  { name: '0041-reopened-charges', class: ReopenedCharges },
  { name: '0042-clock-differences', class: ClockDifferences },
  sentNotifications,
  { name: '0044-what-payments-are-about', class: WhatPaymentsAreAbout },
  { name: '0045-unknown-payments-notified', class: UnknownPaymentsNotified },
  { name: '0046-limit-waivers', class: LimitWaivers },
];
