import type { CheckoutOutcome } from '@app/contracts/checkouts';
import { hourSeconds } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { CapacityUse, Refused } from './attempt-capacity.rules.ts';
import { type AttemptCapacity, windowSeconds } from './attempt-capacity.ts';
import type { RateWindows } from './rate-windows.ts';
import type { Refusals } from './refusals.ts';
import { tooManyAttempts } from './too-many-attempts.ts';

/** An attempt to pay, and its outcome as far as it is known. */
export interface PaymentAttempt {
  readonly address: string;
  readonly accountId: string;
  readonly checkoutId: string;
  readonly outcome: Pick<CheckoutOutcome, 'status' | 'totalCents'>;
}

/** Whose checkout it is, and whether it has succeeded before. */
export interface Owner {
  readonly accountId: string;
  readonly paid: boolean;
}

export interface Attempting {
  readonly address: string;
  readonly checkoutId: string;
  /** Requests the owner from the checkout service. */
  readonly owner: () => Promise<Owner>;
}

/**
 * Bounds what thieves learn about stolen cards by trying them, over all replicas: attempts to pay that were declined, and
 * small payments of one address that succeed one after another.
 */
export interface DeclineLimit {
  /** A checkout was opened here: its first attempt need not request whose it is. */
  opened(checkoutId: string, accountId: string): void;
  /**
   * Runs an attempt while it holds capacity of its address and its account. One without an outcome yet counts: a thief would
   * read the outcome elsewhere, and a bank that requests a confirmation has said already that the card is good.
   * @throws DomainError rate_limited before a processor is called; service_unavailable when attempts under way hold the
   *   capacity for too long
   */
  attempt<Paid extends Pick<PaymentAttempt, 'accountId' | 'outcome'>>(
    attempting: Attempting,
    pay: () => Promise<Paid>,
  ): Promise<Paid>;
  /** Takes the count of an attempt back that had no outcome when `pay` answered and has succeeded since, once. Never rejects. */
  continued(made: PaymentAttempt): Promise<void>;
}

export const noDeclineLimit: DeclineLimit = {
  opened: () => undefined,
  attempt: (_, pay) => pay(),
  continued: async () => undefined,
};

/** A person tries some cards of their own: ten declines. A program has 1,440 attempts a day for each address. */
const limitOfAddress = 20;
const declineOfAddress = 2;
/** A thief pays little with each card; so do fifteen buyers of something cheap behind one address. */
const smallSuccessOfAddress = 1;
/** In minor units of whatever currency. */
const smallCents = 1_000;
/** What an account with 2,000 sales in ten minutes has, when one in ten is declined. */
const limitOfAccount = 200;
/** No buyer takes longer to confirm a payment at the bank. */
const openSeconds = hourSeconds;
/** A processor that hangs is not waited for in line. */
const capacityWithinMs = 10_000;
const checkAgainMs = 100;
/** Checkouts opened here whose owner is remembered; 100 bytes each. */
const ownersMax = 20_000;

const ofAddress = (address: string) => `declines address ${address}`;
const ofAccount = (accountId: string) => `declines account ${accountId}`;
const openAttemptOf = (checkoutId: string) => `open attempt ${checkoutId}`;

const succeeded = ({ status }: PaymentAttempt['outcome']): boolean => status === 'paid' || status === 'authorized';

export interface DeclineLimitDeps {
  readonly windows: RateWindows;
  readonly capacity: AttemptCapacity;
  readonly refusals: Refusals;
  readonly logger: Logger;
}

export function createDeclineLimit(deps: DeclineLimitDeps): DeclineLimit {
  const { windows, refusals, logger } = deps;
  const owners = createOwners(windows);
  /** What is free shows no card, so it makes no buyer known. */
  const paidCallerOf = ({ accountId, address, outcome }: PaymentAttempt): string | undefined =>
    outcome.totalCents > 0 ? refusals.paidCaller(accountId, address) : undefined;

  async function recordOutcome(made: PaymentAttempt, held: Held): Promise<void> {
    const { accountId, address, outcome } = made;
    if (!succeeded(outcome)) {
      const isCounted = await counts(deps.windows, made).catch(() => true);
      const counted = isCounted ? { ofAddress: declineOfAddress, ofAccount: 1 } : nothing;
      return await record(deps, { address, accountId, ...counted }, held);
    }
    const isSmall = outcome.totalCents > 0 && outcome.totalCents <= smallCents;
    const counted = { ofAddress: isSmall ? smallSuccessOfAddress : 0, ofAccount: 0 };
    await record(deps, { address, accountId, ...counted }, held, paidCallerOf(made));
  }

  return {
    opened: owners.remember,
    attempt: async (attempting, pay) => {
      const { address, checkoutId } = attempting;
      const accountId = await owners.find(attempting);
      const held = await hold(deps, attempting, accountId);
      const made = await pay().catch(async (err: unknown) => {
        await record(deps, { address, accountId, ...nothing }, held);
        throw err;
      });
      await recordOutcome({ address, accountId, checkoutId, outcome: made.outcome }, held);
      return made;
    },
    continued: async (made) => {
      if (!succeeded(made.outcome)) return;
      const { accountId, address } = made;
      const isOpen = await windows.forget([openAttemptOf(made.checkoutId)]).catch((err: unknown) => {
        logger.warn({ err, accountId }, 'an attempt that succeeded later still counts as declined');
        return 0;
      });
      if (isOpen === 0) return;
      const back = { ofAddress: -declineOfAddress, ofAccount: -1 };
      await record(deps, { address, accountId, ...back }, null, paidCallerOf(made));
    },
  };
}

/** Whose checkouts are, of those that this process has seen lately. */
function createOwners(windows: RateWindows) {
  const owners = new Map<string, string>();
  const remember = (checkoutId: string, accountId: string): void => {
    if (owners.size >= ownersMax) owners.delete(owners.keys().next().value as string);
    owners.set(checkoutId, accountId);
  };
  return {
    remember,
    /** Over its limit an address learns nothing of a checkout: one that does not exist is refused in the same words. */
    find: async ({ address, checkoutId, owner }: Attempting): Promise<string> => {
      const known = owners.get(checkoutId);
      if (known !== undefined) return known;
      try {
        const { accountId } = await owner();
        remember(checkoutId, accountId);
        return accountId;
      } catch (err) {
        const [counted = 0] = await windows.read(ofAddress(address));
        if (err instanceof DomainError && counted + declineOfAddress > limitOfAddress)
          throw tooManyAttempts(windowSeconds);
        throw err;
      }
    },
  };
}

const withoutLimit = (use: CapacityUse): CapacityUse => ({ ...use, limit: Number.POSITIVE_INFINITY });

/** Resolves when the attempt holds capacity of its address and of its account. */
async function hold(
  { capacity, refusals }: Pick<DeclineLimitDeps, 'capacity' | 'refusals'>,
  { address, owner }: Attempting,
  accountId: string,
): Promise<Held> {
  const byAddress: CapacityUse = { caller: ofAddress(address), amount: declineOfAddress, limit: limitOfAddress };
  const byAccount: CapacityUse = { caller: ofAccount(accountId), amount: 1, limit: limitOfAccount };
  const hasPaid = async (): Promise<boolean> => (await owner()).paid;
  let isRequested = false;
  /** Just below its limit an account has capacity for few attempts at once: a flood must not keep known buyers in line. */
  const isFreeOfAccount = async (taking: Refused): Promise<boolean> => {
    if (taking.caller !== byAccount.caller) return false;
    if (taking.kind === 'full') await refusals.admit(accountId, address, hasPaid);
    const isKnown = taking.kind === 'full' || (!isRequested && (await refusals.isKnown(accountId, address, hasPaid)));
    isRequested = true;
    return isKnown;
  };
  const refused = async (taking: Refused): Promise<CapacityUse[] | undefined> => {
    if (await isFreeOfAccount(taking)) return [byAddress, withoutLimit(byAccount)];
    if (taking.kind === 'full') throw tooManyAttempts(windowSeconds);
    return undefined;
  };
  const windows = await capacity.hold([byAddress, byAccount], { withinMs: capacityWithinMs, checkAgainMs, refused });
  if (windows === undefined) throw tooLate();
  const [inAddress = '', inAccount = ''] = windows;
  return { ofAddress: inAddress, ofAccount: inAccount };
}

/** Gives back what was held, and counts what is to count until the windows end. */
async function record(
  { capacity, logger }: Pick<DeclineLimitDeps, 'capacity' | 'logger'>,
  made: Counting,
  held: Held | null,
  paid?: string,
): Promise<void> {
  const released = held === null ? 0 : 1;
  const changes = [
    {
      caller: ofAddress(made.address),
      released: released * declineOfAddress,
      counted: made.ofAddress,
      window: held?.ofAddress ?? null,
    },
    { caller: ofAccount(made.accountId), released, counted: made.ofAccount, window: held?.ofAccount ?? null },
  ];
  await capacity.record(changes, paid).catch((err: unknown) => {
    logger.warn({ err, accountId: made.accountId }, 'an attempt to pay was not counted');
  });
}

/** Whether an attempt counts that succeeded not, or not yet. */
async function counts(windows: RateWindows, { checkoutId, outcome: { status } }: PaymentAttempt): Promise<boolean> {
  if (status === 'declined') return true;
  if (status !== 'requires_action' && status !== 'processing') return false;
  const [open] = await windows.add({ caller: openAttemptOf(checkoutId), amount: 1, seconds: openSeconds });
  // Clicks that join an attempt under way are one attempt; each confirmation that a bank requests is another card.
  return status === 'requires_action' || open?.taken === 1;
}

/** The windows in which an attempt under way holds its capacity. */
interface Held {
  readonly ofAddress: string;
  readonly ofAccount: string;
}

interface Counting {
  readonly address: string;
  readonly accountId: string;
  readonly ofAddress: number;
  readonly ofAccount: number;
}

const nothing = { ofAddress: 0, ofAccount: 0 };

const tooLate = () =>
  new RetryLaterError(
    'service_unavailable',
    'Other payments from this address are running: repeat the request in a few seconds.',
    1,
  );
