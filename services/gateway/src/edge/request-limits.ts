import type { FastifyReply } from 'fastify';
import type { Actor } from '../identity/actors.ts';
import type { AccountQuota, QuotaUse } from '../limits/account-quota.ts';
import { clientGone } from '../limits/read-limiter.ts';
import type { Window, WindowLimiter } from '../limits/window-limiter.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { Delays } from './delays.ts';

/** Counts requests, and sends what is left in headers. */
export interface RequestLimits {
  /**
   * Counts a request of an address for good.
   * @param allowed when this request was taken: later requests of the address may have used up its window
   * @throws DomainError rate_limited
   */
  countAddress(reply: FastifyReply, limiter: WindowLimiter, window: Window, allowed?: boolean): void;
  /**
   * Counts a request of an account; a promise only where the quota that replicas share has to be read, or where the request
   * is queued: then it resolves to true.
   * @throws DomainError rate_limited, or service_unavailable when the client is gone by its slot; a promise rejects with it
   */
  countAccount(reply: FastifyReply, actor: Actor): undefined | Promise<boolean>;
}

/** @param isLimited false switches the limits of addresses off, and the quota is null then */
export function createRequestLimits(
  isLimited: boolean,
  accountQuota: AccountQuota | null,
  delays: Delays,
): RequestLimits {
  return {
    countAddress: (reply, limiter, window, allowed = limiter.allowed(window)) => {
      if (!isLimited) return;
      limiter.keep(window);
      const remaining = limiter.remaining(window);
      const resetSeconds = limiter.resetSeconds(window);
      applyLimit(reply, limiter, { allowed, remaining, resetSeconds });
    },
    countAccount: (reply, { kind, accountId }) => {
      if (kind === 'platform' || accountQuota === null) return undefined;
      const quota = { policy: 'account', limit: accountQuota.limit };
      const use = accountQuota.take(accountId);
      const apply = (counted: QuotaUse): undefined | Promise<boolean> => {
        applyLimit(reply, quota, counted);
        if (counted.waitMs === 0) return undefined;
        return delays.wait(counted.waitMs).then(() => {
          // It may have sent the request again meanwhile.
          if (reply.raw.closed) throw clientGone();
          return true;
        });
      };
      return use instanceof Promise ? use.then((counted) => apply(counted) ?? false) : apply(use);
    },
  };
}

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers, and those of its first versions, which programs know.
 * @throws DomainError rate_limited when the request is over the limit
 */
function applyLimit(
  reply: FastifyReply,
  { policy, limit }: Pick<WindowLimiter, 'policy' | 'limit'>,
  { allowed, remaining, resetSeconds }: Omit<QuotaUse, 'waitMs'>,
): void {
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=60`);
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (!allowed) throw new RetryLaterError('rate_limited', `At most ${limit} requests a minute.`, resetSeconds);
}
