import { hash } from 'node:crypto';
import { emailKey } from '@app/contracts/email-key';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { attemptsPerMinute, exceededLoginLimit } from './login-limit.rules.ts';
import { type RateWindows, retryAfterOf, type Usage } from './rate-windows.ts';

/** An attempt within the limits. */
export interface LoginAttempt {
  /** The password was right: the attempts before it were typing mistakes, and no longer count. */
  succeeded(): Promise<void>;
}

/** Counts one attempt, over all replicas, before the password is checked. Rejects with `rate_limited`. */
export type LoginLimit = (email: string, address: string) => Promise<LoginAttempt>;

export const unlimitedLogin: LoginLimit = async () => ({ succeeded: async () => undefined });

export function createLoginLimit(windows: RateWindows): LoginLimit {
  return async (email, address) => {
    const owner = digest(emailKey(email));
    const pair = digest(`${owner} ${address}`);
    const minuteOfPair = { caller: `sign-in minute ${pair}`, amount: 1, seconds: 60 };
    const hourOfPair = { caller: `sign-in hour ${pair}`, amount: 1, seconds: 3600 };
    const hourOfEmail = { caller: `sign-in email ${owner}`, amount: 1, seconds: 3600 };
    const [minute, hour, ofEmail] = await windows.add(minuteOfPair, hourOfPair, hourOfEmail);
    if (minute === undefined || hour === undefined || ofEmail === undefined)
      throw new Error('an attempt was not counted');
    const exceeded = exceededLoginLimit({ ofPair: { minute: minute.taken, hour: hour.taken }, ofEmail: ofEmail.taken });
    if (exceeded !== null) throw tooManyAttempts(exceeded === 'minute' ? minute : hour);
    return { succeeded: async () => void (await windows.forget([minuteOfPair.caller, hourOfPair.caller])) };
  };
}

function tooManyAttempts(window: Usage): RetryLaterError {
  const detail = `At most ${attemptsPerMinute} log-in attempts a minute with one email, and fewer after many wrong passwords.`;
  return new RetryLaterError('rate_limited', detail, retryAfterOf(window));
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
