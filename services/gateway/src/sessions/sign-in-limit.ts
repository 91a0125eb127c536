import { RateLimiter } from '../auth/rate-limiter.ts';
import { TemporaryRefusal } from '../http/temporary-refusal.ts';

/** Counts one try to sign in with this email. Throws `rate_limited`. */
export type SignInLimit = (email: string) => void;

/** Passwords are guessed from many addresses as well: this holds for one email from wherever. */
const triesPerMinute = 10;

/** @param requestsPerMinute the limit of keys; where that is 0, nothing is limited */
export function createSignInLimit(requestsPerMinute: number): SignInLimit {
  if (requestsPerMinute === 0) return () => undefined;
  const limiter = new RateLimiter(triesPerMinute);
  return (email) => {
    const nowMs = performance.now();
    const window = limiter.take(email.toLowerCase(), nowMs);
    if (limiter.allowed(window)) return;
    const detail = `At most ${triesPerMinute} tries a minute to sign in with one email.`;
    throw new TemporaryRefusal('rate_limited', detail, limiter.resetSeconds(window, nowMs));
  };
}
