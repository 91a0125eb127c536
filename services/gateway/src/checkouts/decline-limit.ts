import { createHash } from 'node:crypto';
import type { Logger } from '@app/service-kit/logger';
import type { RateWindows } from '../auth/rate-windows.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';

/**
 * Bounds what thieves learn about stolen cards by trying them: declined tries to pay, over all replicas. Tries that
 * succeed do not count. Tries under way at the same moment are not known as declined yet: an address can have as many of
 * them as it has requests a minute.
 */
export interface DeclineLimit {
  /**
   * Call it before a try. Rejects with `rate_limited` when the address or the account has had too many declined ones.
   * @param accountOf finds the account; called only while any account is over its limit
   */
  check(address: string, accountOf: () => Promise<string>): Promise<void>;
  /** Counts a declined try. Never rejects: the buyer has to learn the outcome. */
  declined(address: string, accountId: string): Promise<void>;
}

export const noDeclineLimit: DeclineLimit = {
  check: async () => undefined,
  declined: async () => undefined,
};

const windowSeconds = 600;
/** A person tries some cards of their own. A program has 1,440 tries a day for each address. */
export const declinesOfAddress = 10;
/** What an account of 2,000 sales in ten minutes has, when one in ten is declined. */
export const declinesOfAccount = 200;

const byAddress = (address: string) => `declines address ${digest(address)}`;
const byAccount = (accountId: string) => `declines account ${accountId}`;
/**
 * Lasts as long as any account is over its limit: while it is not there, nobody has to be asked whose checkout it is.
 * It begins anew whenever an account reaches its limit, so that it never ends before that account's own window.
 */
const anyAccountOver = 'declines any account over';

export function createDeclineLimit(windows: RateWindows, logger: Logger): DeclineLimit {
  const count = async (address: string, accountId: string): Promise<void> => {
    const once = { amount: 1, seconds: windowSeconds };
    const [, ofAccount] = await windows.add(
      { caller: byAddress(address), ...once },
      { caller: byAccount(accountId), ...once },
    );
    if (ofAccount === undefined || ofAccount.taken < declinesOfAccount) return;
    await windows.forget([anyAccountOver]);
    await windows.add({ caller: anyAccountOver, ...once });
  };
  return {
    check: async (address, accountOf) => {
      const [ofAddress = 0, over = 0] = await windows.read(byAddress(address), anyAccountOver);
      if (ofAddress >= declinesOfAddress) throw tooManyTries();
      if (over === 0) return;
      const [ofAccount = 0] = await windows.read(byAccount(await accountOf()));
      if (ofAccount >= declinesOfAccount) throw tooManyTries();
    },
    declined: async (address, accountId) => {
      await count(address, accountId).catch((err: unknown) =>
        logger.warn({ err, accountId }, 'a declined payment was not counted'),
      );
    },
  };
}

/** The same words and the same time to wait for whichever limit it was: its caller does not learn what is counted. */
export function tooManyTries(): RetryLaterError {
  return new RetryLaterError('rate_limited', 'Payments are not taken from here at the moment.', windowSeconds);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
