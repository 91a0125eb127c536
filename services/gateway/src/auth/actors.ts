import { type ApiKeyScope, apiKeyScopes, type Settings } from '@app/contracts/accounts';
import type { Actor } from '../http/operation.ts';

export const allScopes: ReadonlySet<ApiKeyScope> = new Set(apiKeyScopes);

const noSettings: Settings = {
  handle: '',
  businessName: '',
  supportEmail: '',
  defaultCurrency: 'usd',
  testMode: false,
  holdDecisionMinutes: 60,
  nudgeAfterMinutes: 60,
  commissionHoldDays: 30,
  cancellationNotices: false,
};

const withoutAccount = { accountId: '', keyId: null, sessionId: null, userId: null, settings: noSettings };

/** Whoever calls a public operation. */
export const nobody: Actor = { ...withoutAccount, kind: 'nobody', scopes: new Set() };

/** The deployment itself. */
export const platform: Actor = { ...withoutAccount, kind: 'platform', scopes: new Set() };
