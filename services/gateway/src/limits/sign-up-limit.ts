import { RetryLaterError } from '../problems/retry-later-error.ts';
import { type RateWindows, retryAfterOf } from './rate-windows.ts';

/**
 * Counts one attempt to make an account, over all replicas, before its password is hashed: each costs CPU, a letter and rows.
 * @param address as `clientOfAddress` gives it
 * @throws RetryLaterError rate_limited
 */
export type SignUpLimit = (address: string) => Promise<void>;

export const unlimitedSignUps: SignUpLimit = async () => undefined;

/** @param perHour of one client. A refused attempt counts too: by it somebody asks which addresses have accounts. */
export const createSignUpLimit =
  (windows: RateWindows, perHour: number): SignUpLimit =>
  async (address) => {
    const [hour] = await windows.add({ caller: `sign-ups ${address}`, amount: 1, seconds: 3_600 });
    if (hour === undefined || hour.taken <= perHour) return;
    throw new RetryLaterError(
      'rate_limited',
      `At most ${perHour} accounts can be made from one network in an hour. Nothing was made: try again later.`,
      retryAfterOf(hour),
    );
  };
