import { hash } from 'node:crypto';
import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { CapacityUse, Refused } from './attempt-capacity.rules.ts';
import { type AttemptCapacity, windowSeconds } from './attempt-capacity.ts';
import { type RateWindows, retryAfterOf } from './rate-windows.ts';

/** A code that a buyer typed, or that a link named. */
export interface TriedCode {
  readonly address: string;
  readonly accountId: string;
  readonly code: string;
}

/**
 * Bounds guesses of discount codes, over all replicas: wrong codes of an address, and of everyone at an account. It limits codes
 * alone: what names no code is not asked.
 */
export interface DiscountLimit {
  /**
   * Runs what tells whether the code is right.
   * @param isWrong of what was returned; `discount_invalid` says it as well
   * @throws RetryLaterError rate_limited at the field `discountCode`, before the code is looked up: so it says nothing of the code
   */
  attempt<Result>(tried: TriedCode, run: () => Promise<Result>, isWrong: (result: Result) => boolean): Promise<Result>;
}

export const unlimitedDiscounts: DiscountLimit = { attempt: (_, run) => run() };

/** Different ones in ten minutes. A buyer tries what a newsletter and two web sites say; a program has 1,440 guesses a day. */
const wrongOfAddress = 10;
/** What an account has when a hundred buyers mistype a code within ten minutes. Beyond that an address has two. */
const wrongOfAccount = 100;
const wrongOfAddressThen = 2;
/** Other codes of the address are being looked up, which takes milliseconds. */
const capacityWithinMs = 10_000;
const checkAgainMs = 50;

interface DiscountLimitDeps {
  readonly windows: RateWindows;
  readonly capacity: AttemptCapacity;
  readonly logger: Logger;
}

export function createDiscountLimit(deps: DiscountLimitDeps): DiscountLimit {
  return {
    attempt: async (tried, run, isWrong) => {
      const held = await hold(deps, tried);
      let wrong = false;
      try {
        const result = await run();
        wrong = isWrong(result);
        return result;
      } catch (err) {
        wrong = err instanceof DomainError && err.code === 'discount_invalid';
        throw err;
      } finally {
        await record(deps, tried, held, wrong);
      }
    },
  };
}

/** The windows of the address and of the account in which an attempt holds its capacity; empty while the database is away. */
type Held = readonly string[];

const callersOf = ({ address, accountId }: TriedCode): readonly [string, string] => [
  `wrong codes address ${address}`,
  `wrong codes account ${accountId}`,
];

async function hold({ capacity, windows, logger }: DiscountLimitDeps, tried: TriedCode): Promise<Held> {
  const [ofAddress, ofAccount] = callersOf(tried);
  const uses = (addressLimit: number, accountLimit: number): CapacityUse[] => [
    { caller: ofAddress, amount: 1, limit: addressLimit },
    { caller: ofAccount, amount: 1, limit: accountLimit },
  ];
  const refused = async ({ kind, caller }: Refused): Promise<CapacityUse[] | undefined> => {
    if (caller === ofAccount)
      return uses(kind === 'full' ? wrongOfAddressThen : wrongOfAddress, Number.POSITIVE_INFINITY);
    // A refusal stays one while the database is away.
    if (kind === 'full') throw tooManyCodes(await secondsLeft(windows, ofAddress).catch(() => 1));
    return undefined;
  };
  const holding = { withinMs: capacityWithinMs, checkAgainMs, refused };
  const held = await capacity.hold(uses(wrongOfAddress, wrongOfAccount), holding).catch((err: unknown): Held => {
    if (err instanceof RetryLaterError) throw err;
    logger.warn({ err, accountId: tried.accountId }, 'a discount code is tried uncounted: the database is unavailable');
    return [];
  });
  if (held === undefined) throw tooManyCodes(1);
  return held;
}

/** The same wrong code again, as in a link that a whole office opens, is no other guess. Never rejects. */
async function record(
  { capacity, windows, logger }: DiscountLimitDeps,
  tried: TriedCode,
  held: Held,
  wrong: boolean,
): Promise<void> {
  const { address, accountId, code } = tried;
  if (held.length === 0) return;
  try {
    const digest = hash('sha256', `${accountId} ${address} ${code.toUpperCase()}`, 'base64url').slice(0, 22);
    const guess = { caller: `wrong code ${digest}`, amount: 1, seconds: windowSeconds };
    const counted = wrong && (await windows.add(guess))[0]?.taken === 1 ? 1 : 0;
    const change = (caller: string, index: number) => ({ caller, released: 1, counted, window: held[index] ?? null });
    await capacity.record(callersOf(tried).map(change));
  } catch (err) {
    logger.warn({ err, accountId }, 'a discount code was not counted');
  }
}

async function secondsLeft(windows: RateWindows, caller: string): Promise<number> {
  const [window] = await windows.add({ caller, amount: 0, seconds: windowSeconds });
  return retryAfterOf(window ?? { leftMs: 0 });
}

const tooManyCodes = (seconds: number): RetryLaterError => {
  const message = `Too many wrong discount codes: codes are taken again in ${seconds} s, and orders without one all the time.`;
  return new RetryLaterError('rate_limited', message, seconds, [
    { field: 'discountCode', code: 'rate_limited', message },
  ]);
};
