import { defineTable } from '@app/service-kit/define-table';
import { type InferEntity, p } from '@mikro-orm/core';

/** A seller: what a key acts for. Its settings are its own columns. */
export const Account = defineTable('Account', 'accounts', {
  id: p.text().primary(),
  handle: p.text(),
  businessName: p.text(),
  supportEmail: p.text(),
  supportEmailVerified: p.boolean(),
  supportEmailPending: p.text().nullable(),
  /** That of the user who made the account. */
  email: p.text(),
  emailVerified: p.boolean(),
  defaultCurrency: p.text(),
  testMode: p.boolean(),
  holdDecisionMinutes: p.integer(),
  nudgeAfterMinutes: p.integer(),
  commissionHoldDays: p.integer(),
  cancellationNotices: p.boolean(),
  dailyChargeLimit: p.integer(),
  checkoutUrl: p.text().nullable(),
  accentColor: p.text().nullable(),
  termsUrl: p.text().nullable(),
  refundPolicyUrl: p.text().nullable(),
  portalCancel: p.boolean(),
  portalPause: p.boolean(),
  withdrawalDays: p.integer(),
  immediateAccessConsent: p.boolean(),
  statementSuffix: p.text().nullable(),
  logoName: p.text().nullable(),
  settingsRevision: p.integer(),
  createdAt: p.datetime(),
});
export type Account = InferEntity<typeof Account>;
