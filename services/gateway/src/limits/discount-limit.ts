import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { CapacityUse } from './attempt-capacity.rules.ts';
import { type AttemptCapacity, windowSeconds } from './attempt-capacity.ts';
import type { RateWindows } from './rate-windows.ts';

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
  const untilMs = performance.now() + capacityWithinMs;
  const [ofAddress, ofAccount] = callersOf(tried);
  const uses = (addressLimit: number, accountLimit: number): CapacityUse[] => [
    { caller: ofAddress, amount: 1, limit: addressLimit },
    { caller: ofAccount, amount: 1, limit: accountLimit },
  ];
  let wanted = uses(wrongOfAddress, wrongOfAccount);
  for (;;) {
    const taking = await capacity.take({ uses: wanted }).catch((err: unknown) => {
      logger.warn(
        { err, accountId: tried.accountId },
        'a discount code is tried uncounted: the database is unavailable',
      );
      return { kind: 'held', windows: [] } as const;
    });
    if (taking.kind === 'held') return taking.windows;
    if (taking.caller === ofAccount) {
      const limit = taking.kind === 'full' ? wrongOfAddressThen : wrongOfAddress;
      wanted = uses(limit, Number.POSITIVE_INFINITY);
    } else if (taking.kind === 'full') throw tooManyCodes(await secondsLeft(windows, ofAddress));
    else if (performance.now() > untilMs) throw tooManyCodes(1);
    else await wait(checkAgainMs);
  }
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
  return Math.max(1, Math.ceil((window?.leftMs ?? 0) / 1_000));
}

const tooManyCodes = (seconds: number): RetryLaterError => {
  const message = `Too many wrong discount codes: codes are taken again in ${seconds} s, and orders without one all the time.`;
  return new RetryLaterError('rate_limited', message, seconds, [
    { field: 'discountCode', code: 'rate_limited', message },
  ]);
};
