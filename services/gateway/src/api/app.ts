import type { RequestOutput } from '@app/contracts/define';
import type { getPaymentProcessor } from '@app/contracts/payment-processors';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Installation } from '@app/service-kit/installation';
import type { Logger } from '@app/service-kit/logger';
import type { LookupCache } from '@app/service-kit/lookup-cache';
import type { SealedBox } from '@app/service-kit/sealed-box';
import type { Check } from '@app/service-kit/service';
import type { EdgeConfig } from '../edge/edge-config.ts';
import type { HealthTimes } from '../edge/health-routes.ts';
import type { AuditLog } from '../identity/audit/audit-log.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { BuyerDigests } from '../identity/buyer-digests.ts';
import type { Seller } from '../identity/find-seller.ts';
import type { Letters } from '../identity/letters/letters.ts';
import type { PasswordCost } from '../identity/password.ts';
import type { PortalTokens } from '../identity/portal-links.ts';
import type { VisitorDigest } from '../identity/visitor.ts';
import type { AccountQuota } from '../limits/account-quota.ts';
import type { CodeLimit } from '../limits/code-limit.ts';
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import type { DeclineLimit } from '../limits/decline-limit.ts';
import type { DiscountLimit } from '../limits/discount-limit.ts';
import type { LoginLimit } from '../limits/login-limit.ts';
import type { ReadLimiter } from '../limits/read-limiter.ts';
import type { SignUpLimit } from '../limits/sign-up-limit.ts';
import type { StoredAnswers } from '../limits/stored-answers.ts';
import type { WindowLimiter } from '../limits/window-limiter.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { ImageCaches } from './image-cache.ts';

/** Moves the clock of every service; resolves when all have followed. */
export interface ClockControl {
  set(offsetMs: number): Promise<void>;
}

interface AppConfig extends EdgeConfig {
  /** A mail server; without one letters are files in EMAIL_DIR. */
  readonly SMTP_URL?: string | undefined;
  readonly EMAIL_DIR: string;
  readonly SIGNUP: 'open' | 'closed';
  readonly KEY_PEPPER: string;
  readonly APPLE_PAY_DOMAIN_FILE?: string | undefined;
  readonly SECURITY_CONTACT?: string | undefined;
}

/** Everything that operations and routes work with. */
export interface App {
  readonly config: AppConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly installation: Installation;
  readonly requester: Requester;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
  readonly authenticator: Authenticator;
  readonly auditLog: AuditLog;
  readonly idempotency: IdempotencyStore;
  readonly storedAnswers: StoredAnswers;
  /** Null where no limit is set. */
  readonly accountQuota: AccountQuota | null;
  /** Of callers without a valid key. */
  readonly addressLimiter: WindowLimiter;
  /** Of buyers: their pages and their checkouts. */
  readonly buyersLimiter: WindowLimiter;
  /** Events of each account's payment processor. */
  readonly eventsOfAccount: WindowLimiter;
  /** Of addresses that send events which are not taken. */
  readonly refusedEvents: WindowLimiter;
  /** Events of an account's payment processor that billing handles at once, from all senders. */
  readonly limitEvents: ConcurrencyLimit;
  readonly limitLogin: LoginLimit;
  readonly images: ImageCaches;
  readonly limitCodes: CodeLimit;
  readonly limitSignUps: SignUpLimit;
  /** Seals the secrets of one-time codes. */
  readonly codesBox: SealedBox;
  readonly letters: Letters;
  readonly portalTokens: PortalTokens;
  readonly declineLimit: DeclineLimit;
  readonly discountLimit: DiscountLimit;
  readonly visitorOf: VisitorDigest;
  readonly buyerDigests: BuyerDigests;
  /** By handle, as checkouts are opened with them. */
  readonly sellers: LookupCache<Seller>;
  /** What an account has chosen to take payments with, by account. */
  readonly processors: LookupCache<RequestOutput<typeof getPaymentProcessor>>;
  /** Bounds the responses that clients have not read yet. */
  readonly readLimiter: ReadLimiter;
  /** Of each account's writes. */
  readonly limitWrites: ConcurrencyLimit;
  /** Of new passwords. */
  readonly passwordCost: PasswordCost;
  readonly healthTimes: HealthTimes;
  /** Null where the clock may not be moved. */
  readonly clockControl: ClockControl | null;
  /** When the deployment runs the daily job next by itself, in epoch milliseconds; undefined where it does not, or does not know. */
  readonly nextDailyRunMs: () => number | undefined;
  readonly checks: readonly Check[];
  /** Why nothing can be written right now, for the caller to read; undefined when it can. */
  readonly writeRefusal: () => string | undefined;
}
