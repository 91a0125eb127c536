import type { Settings } from '@app/contracts/accounts';
import type { Database } from '@app/service-kit/database';
import { Account } from './account.entity.ts';

/** From the database, not from the actor, whose copy may be a moment old after a change made by another replica. */
export async function getSettings(database: Database, accountId: string): Promise<Settings> {
  return settingsOf(await database.fork().findOneOrFail(Account, { id: accountId }));
}

/** As the seller is shown them. */
export interface ShownSettings {
  readonly settings: Settings;
  /** Given for support, and not confirmed yet: no other service knows it. */
  readonly supportEmailPending: string | null;
  readonly version: number;
}

export async function getShownSettings(database: Database, accountId: string): Promise<ShownSettings> {
  return shownSettingsOf(await database.fork().findOneOrFail(Account, { id: accountId }));
}

export const shownSettingsOf = (account: Account): ShownSettings => ({
  settings: settingsOf(account),
  supportEmailPending: account.supportEmailPending ?? null,
  version: account.settingsRevision,
});

export function settingsOf(account: Account): Settings {
  return {
    handle: account.handle,
    businessName: account.businessName,
    supportEmail: account.supportEmail,
    supportEmailVerified: account.supportEmailVerified,
    email: account.email,
    emailVerified: account.emailVerified,
    defaultCurrency: account.defaultCurrency,
    testMode: account.testMode,
    holdDecisionMinutes: account.holdDecisionMinutes,
    nudgeAfterMinutes: account.nudgeAfterMinutes,
    commissionHoldDays: account.commissionHoldDays,
    cancellationNotices: account.cancellationNotices,
    dailyChargeLimit: account.dailyChargeLimit,
    checkoutUrl: account.checkoutUrl ?? null,
    accentColor: account.accentColor ?? null,
    termsUrl: account.termsUrl ?? null,
    refundPolicyUrl: account.refundPolicyUrl ?? null,
    logoName: account.logoName ?? null,
    portalCancel: account.portalCancel,
    portalPause: account.portalPause,
    withdrawalDays: account.withdrawalDays,
    immediateAccessConsent: account.immediateAccessConsent,
    statementSuffix: account.statementSuffix ?? null,
  };
}
