import { createHash } from 'node:crypto';
import type { RateWindows } from '../auth/rate-windows.ts';
import { TemporaryRefusal } from '../http/temporary-refusal.ts';
import { signInRefusal, triesPerMinute } from './sign-in.rules.ts';

/** A try that may go on. */
export interface SignInTry {
  /** The password was right: what came before it was mistyped. */
  succeeded(): Promise<void>;
}

/** Counts one try, over all replicas, before the password is looked at. Rejects with `rate_limited`. */
export type SignInLimit = (email: string, address: string) => Promise<SignInTry>;

export const unlimitedSignIn: SignInLimit = async () => ({ succeeded: async () => undefined });

export function createSignInLimit(windows: RateWindows): SignInLimit {
  return async (email, address) => {
    const owner = digest(email.toLowerCase());
    const pair = digest(`${owner} ${address}`);
    const minuteOfPair = { caller: `sign-in minute ${pair}`, amount: 1, seconds: 60 };
    const hourOfPair = { caller: `sign-in hour ${pair}`, amount: 1, seconds: 3600 };
    const hourOfEmail = { caller: `sign-in email ${owner}`, amount: 1, seconds: 3600 };
    const [minute, hour, ofEmail] = await windows.add(minuteOfPair, hourOfPair, hourOfEmail);
    if (minute === undefined || hour === undefined || ofEmail === undefined) throw new Error('a try was not counted');
    const refusal = signInRefusal({ ofPair: { minute: minute.taken, hour: hour.taken }, ofEmail: ofEmail.taken });
    if (refusal !== null) throw tooMany(refusal === 'minute' ? minute.leftMs : hour.leftMs);
    return { succeeded: () => windows.forget([minuteOfPair.caller, hourOfPair.caller]) };
  };
}

function tooMany(leftMs: number): TemporaryRefusal {
  const detail = `At most ${triesPerMinute} tries a minute to sign in with one email, and fewer while someone guesses.`;
  return new TemporaryRefusal('rate_limited', detail, Math.max(1, Math.ceil(leftMs / 1000)));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
