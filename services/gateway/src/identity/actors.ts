import { type ApiKeyScope, apiKeyScopes, type Settings, unknownAccountSettings } from '@app/contracts/accounts';

/** Who makes a request. */
export interface Actor {
  /** Empty for the platform key and for nobody: services refuse requests without an account. */
  readonly accountId: string;
  readonly kind: 'key' | 'session' | 'platform' | 'nobody';
  readonly scopes: ReadonlySet<ApiKeyScope>;
  readonly keyId: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** The account's settings; the defaults where there is no account. */
  readonly settings: Settings;
}

export const allScopes: ReadonlySet<ApiKeyScope> = new Set(apiKeyScopes);

const withoutAccount = { accountId: '', keyId: null, sessionId: null, userId: null, settings: unknownAccountSettings };

/** The caller of a public operation. */
export const nobody: Actor = { ...withoutAccount, kind: 'nobody', scopes: new Set() };

/** The deployment itself, with the platform key. */
export const platform: Actor = { ...withoutAccount, kind: 'platform', scopes: new Set() };
