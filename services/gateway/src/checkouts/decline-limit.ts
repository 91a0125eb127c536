import type { CheckoutOutcome } from '@app/contracts/checkouts';
import type { Logger } from '@app/service-kit/logger';
import type { RateWindows } from '../auth/rate-windows.ts';
import { createTurns, type Turns } from '../operations/turns.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';

/** A try to pay, and its outcome as far as it is known. */
export interface PaymentTry {
  readonly address: string;
  readonly accountId: string;
  readonly checkoutId: string;
  readonly status: CheckoutOutcome['status'];
}

/**
 * Bounds what thieves learn about stolen cards by trying them: declined tries to pay, over all replicas. Tries that
 * succeed do not count. Tries under way at the same moment are not known as declined yet, so that an address has few of
 * them at once.
 */
export interface DeclineLimit {
  /** Runs a try when it is the turn of its address. Rejects with `service_unavailable` when that takes too long. */
  readonly inTurn: Turns;
  /**
   * Call it before a try, in its turn. Rejects with `rate_limited` when the address or the account has had too many declined ones.
   * @param accountOf finds the account; called only while any account is over its limit
   */
  check(address: string, accountOf: () => Promise<string>): Promise<void>;
  /**
   * Counts a try that `pay` answered, also one without an outcome yet: a thief would read the outcome elsewhere, and a bank
   * that asks for a confirmation has told already that the card is good. Never rejects: the buyer has to learn the outcome.
   */
  paid(made: PaymentTry): Promise<void>;
  /** Takes the count of a try back that had no outcome when `pay` answered and has succeeded since, once. Never rejects. */
  continued(made: PaymentTry): Promise<void>;
}

export const noDeclineLimit: DeclineLimit = {
  inTurn: (_, work) => work(),
  check: async () => undefined,
  paid: async () => undefined,
  continued: async () => undefined,
};

const windowSeconds = 600;
/** A person tries some cards of their own. A program has 1,440 tries a day for each address. */
const declinesOfAddress = 10;
/** What an account with 2,000 sales in ten minutes has, when one in ten is declined. */
const declinesOfAccount = 200;
/** Nobody takes longer to confirm a payment at the bank. */
const openSeconds = 3_600;

/**
 * Tries of one address that a process has under way at once, and so the most that go beyond the limit at each replica.
 * Four tries of some seconds are more than a shop’s whole office needs.
 */
const underWayMax = 4;
/** A processor that hangs is not waited for in line. */
const turnWithinMs = 5_000;

const ofAddress = (address: string) => `declines address ${address}`;
const ofAccount = (accountId: string) => `declines account ${accountId}`;
const openTryOf = (checkoutId: string) => `open try ${checkoutId}`;
/**
 * Lasts as long as any account is over its limit: while it is not there, nobody has to be asked whose checkout it is.
 * It begins anew whenever an account reaches its limit, so that it never ends before that account's own window.
 */
const anyAccountOver = 'declines any account over';

export function createDeclineLimit(windows: RateWindows, logger: Logger): DeclineLimit {
  const count = async ({ address, accountId }: PaymentTry, amount: 1 | -1) => {
    const use = { amount, seconds: windowSeconds };
    const uses = [
      { caller: ofAddress(address), ...use },
      { caller: ofAccount(accountId), ...use },
    ] as const;
    const [, account] = await windows.add(...uses);
    return account;
  };
  const countDecline = async (made: PaymentTry): Promise<void> => {
    const account = await count(made, 1);
    if (account === undefined || account.taken < declinesOfAccount) return;
    await windows.forget([anyAccountOver]);
    await windows.add({ caller: anyAccountOver, amount: 1, seconds: windowSeconds });
  };
  const withoutFail = async ({ accountId }: PaymentTry, work: Promise<unknown>): Promise<void> => {
    await work.catch((err: unknown) => logger.warn({ err, accountId }, 'a declined payment was not counted'));
  };
  return {
    inTurn: createTurns({ atOnce: underWayMax, withinMs: turnWithinMs, tooLate }),
    check: async (address, accountOf) => {
      const [declines = 0, over = 0] = await windows.read(ofAddress(address), anyAccountOver);
      if (declines >= declinesOfAddress) throw tooManyTries();
      if (over === 0) return;
      const [ofItsAccount = 0] = await windows.read(ofAccount(await accountOf()));
      if (ofItsAccount >= declinesOfAccount) throw tooManyTries();
    },
    paid: async (made) => {
      if (made.status === 'declined') return await withoutFail(made, countDecline(made));
      const opened = { caller: openTryOf(made.checkoutId), amount: 1, seconds: openSeconds };
      const countOpen = async (): Promise<void> => {
        const [open] = await windows.add(opened);
        // Clicks that join a try under way are one try; each confirmation that a bank asks for is another card.
        if (made.status === 'requires_action' || open?.taken === 1) await countDecline(made);
      };
      if (made.status === 'requires_action' || made.status === 'processing') await withoutFail(made, countOpen());
    },
    continued: async (made) => {
      if (made.status !== 'paid' && made.status !== 'authorized') return;
      const takeBack = async (): Promise<void> => {
        if ((await windows.forget([openTryOf(made.checkoutId)])) > 0) await count(made, -1);
      };
      await withoutFail(made, takeBack());
    },
  };
}

const tooLate = () =>
  new RetryLaterError('service_unavailable', 'Other payments from here are under way; try again shortly.', 1);

/** The same words and the same time to wait for whichever limit it was: its caller does not learn what is counted. */
export function tooManyTries(): RetryLaterError {
  return new RetryLaterError('rate_limited', 'Payments are not taken from here at the moment.', windowSeconds);
}
