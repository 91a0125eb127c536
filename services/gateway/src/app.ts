import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';
import type { PasswordCost } from './accounts/password.ts';
import type { AccountQuota } from './auth/account-quota.ts';
import type { AddressLimiter } from './auth/address-limiter.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { LoginLimit } from './auth/login-limit.ts';
import type { LookupCache } from './auth/lookup-cache.ts';
import type { BuyerDigests } from './checkouts/buyer-digests.ts';
import type { DeclineLimit } from './checkouts/decline-limit.ts';
import type { Seller } from './checkouts/find-seller.ts';
import type { VisitorDigest } from './checkouts/visitor.ts';
import type { GatewayConfig } from './config.ts';
import type { HealthTimes } from './http/health-routes.ts';
import type { ReadLimiter } from './http/read-limiter.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { Letters } from './letters/letters.ts';
import type { Turns } from './operations/turns.ts';

/** Moves the clock of every service; resolves when all have followed. */
export interface ClockControl {
  set(offsetMs: number): Promise<void>;
}

/** Everything that operations and routes work with. */
export interface App {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly requester: Requester;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
  readonly authenticator: Authenticator;
  readonly idempotency: IdempotencyStore;
  /** Null where no limit is set. */
  readonly accountQuota: AccountQuota | null;
  /** Of callers without a valid key. */
  readonly addressLimiter: AddressLimiter;
  /** Of buyers: their pages and their checkouts. */
  readonly buyersLimiter: AddressLimiter;
  readonly limitLogin: LoginLimit;
  readonly letters: Letters;
  readonly declineLimit: DeclineLimit;
  readonly visitorOf: VisitorDigest;
  readonly buyerDigests: BuyerDigests;
  /** By handle, as checkouts are opened with them. */
  readonly sellers: LookupCache<Seller>;
  /** Bounds the responses that clients have not read yet. */
  readonly readLimiter: ReadLimiter;
  /** Of each account's writes. */
  readonly writeTurns: Turns;
  /** Of new passwords. */
  readonly passwordCost: PasswordCost;
  readonly healthTimes: HealthTimes;
  /** Null where the clock may not be moved. */
  readonly clockControl: ClockControl | null;
  readonly checks: readonly Check[];
  /** Why nothing can be written right now, for the caller to read; undefined when it can. */
  readonly writeRefusal: () => string | undefined;
}
