import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';
import type { AccountQuota } from './auth/account-quota.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { GatewayConfig } from './config.ts';
import type { AnswerRoom } from './http/answer-room.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { SignInLimit } from './sessions/sign-in-limit.ts';

/** Moves the clock of every service; resolves when all have followed. */
export interface ClockControl {
  set(offsetMs: number): Promise<void>;
}

/** What operations and routes are given to work with. */
export interface App {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly database: Database;
  readonly requester: Requester;
  readonly authenticator: Authenticator;
  readonly idempotency: IdempotencyStore;
  /** Null where no limit is set. */
  readonly accountQuota: AccountQuota | null;
  readonly limitSignIn: SignInLimit;
  /** Where answers wait until their readers have taken them. */
  readonly answerRoom: AnswerRoom;
  /** Null where the clock may not be moved. */
  readonly clockControl: ClockControl | null;
  readonly checks: readonly Check[];
  /** Why nothing can be written right now, for the caller to read; undefined when it can. */
  readonly writeRefusal: () => string | undefined;
}
