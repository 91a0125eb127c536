import { type ApiKeyScope, apiKeyScopes, type Settings, unknownAccountSettings } from '@app/contracts/accounts';

/** Who manages what they bought. */
export interface Buyer {
  /** Lower-cased. */
  readonly email: string;
  /** The one subscription whose card the session may change; null for all that the buyer has bought. */
  readonly subscriptionId: string | null;
}

/** Who makes a request. */
export interface Actor {
  /** Empty for the platform key and for anonymous: services refuse requests without an account. */
  readonly accountId: string;
  readonly kind: 'key' | 'session' | 'platform' | 'portal' | 'anonymous';
  readonly scopes: ReadonlySet<ApiKeyScope>;
  readonly keyId: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** Whose session of the portal it is, with kind `portal`. */
  readonly buyer: Buyer | null;
  /** The account's settings; the defaults where there is no account. */
  readonly settings: Settings;
}

export const allScopes: ReadonlySet<ApiKeyScope> = new Set(apiKeyScopes);

const withoutAccount = {
  accountId: '',
  keyId: null,
  sessionId: null,
  userId: null,
  buyer: null,
  settings: unknownAccountSettings,
};

/** The caller of a public operation. */
export const anonymous: Actor = { ...withoutAccount, kind: 'anonymous', scopes: new Set() };

/** The deployment itself, with the platform key. */
export const platform: Actor = { ...withoutAccount, kind: 'platform', scopes: new Set() };
