import { hash } from 'node:crypto';
import { daySeconds } from '@app/contracts/durations';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { LoginAttempt } from './login-limit.ts';
import { type RateWindows, retryAfterOf } from './rate-windows.ts';

/**
 * Counts one guess of a one-time code, over all replicas, before it is checked.
 * @param passwordHash of the user: guesses that another password had let in count no more
 * @throws RetryLaterError rate_limited
 */
export type CodeLimit = (userId: string, passwordHash: string) => Promise<CodeAttempt>;

interface CodeAttempt extends LoginAttempt {
  /** The code of a log-in was wrong. @returns whether it is the one of the day that its user is to be told of */
  failed(): Promise<boolean>;
}

export const unlimitedCodes: CodeLimit = async () => ({ succeeded: async () => undefined, failed: async () => false });

/**
 * Of a million codes three are right at any time, so that guesses are bounded whatever address they come from: 50 a day find one in
 * 18 years on average. Only who has the password gets here, so no stranger can use them up.
 */
const perHour = 10;
const perDay = 50;
/** Wrong codes of a day that are no typing mistakes any more. A right one in between leaves them: whose it was is unknown. */
const toldAt = 3;

export const createCodeLimit =
  (windows: RateWindows): CodeLimit =>
  async (userId, passwordHash) => {
    const of = hash('sha256', `${userId} ${passwordHash}`, 'base64url');
    const uses = [
      { caller: `codes hour ${of}`, amount: 1, seconds: 3_600 },
      { caller: `codes day ${of}`, amount: 1, seconds: daySeconds },
    ];
    const [hour, day] = await windows.add(...uses);
    const over = (day?.taken ?? 0) > perDay ? day : (hour?.taken ?? 0) > perHour ? hour : undefined;
    if (over !== undefined)
      throw new RetryLaterError(
        'rate_limited',
        'Too many wrong codes: use a passkey, or wait as the header `retry-after` says.',
        retryAfterOf(over),
      );
    return {
      succeeded: async () => void (await windows.forget(uses.map(({ caller }) => caller))),
      failed: async () => {
        const [wrong] = await windows.add({ caller: `wrong codes ${of}`, amount: 1, seconds: daySeconds });
        return wrong?.taken === toldAt;
      },
    };
  };
