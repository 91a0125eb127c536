import { paymentsLimited } from '@app/contracts/checkouts';
import { hourSeconds } from '@app/contracts/durations';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { createKeyedDigest } from '@app/service-kit/keyed-digest';
import { type RateWindows, retryAfterOf } from './rate-windows.ts';
import { tooManyAttempts } from './too-many-attempts.ts';

export interface RefusalDeps {
  readonly windows: RateWindows;
  readonly database: Database;
  readonly clock: Clock;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
  readonly pepper: string;
}

/** Who may pay at an account that has reached its limit of declined attempts. */
export interface Refusals {
  /**
   * Resolves for an address or a checkout with a success in the last 30 days, and for an address that has waited out its
   * refusal: for one attempt, and its next refusal, of twice the length, begins with it.
   * @param hasPaid whether the checkout has succeeded before
   * @throws DomainError rate_limited
   */
  admit(accountId: string, address: string, hasPaid: () => Promise<boolean>): Promise<void>;
  /** Whether the address or the checkout has a success in the last 30 days. */
  isKnown(accountId: string, address: string, hasPaid: () => Promise<boolean>): Promise<boolean>;
  /** The caller in `rate_windows` that says that an address has paid at an account. */
  paidCaller(accountId: string, address: string): string;
}

const firstSeconds = 60;
const longestSeconds = hourSeconds;
/** An address that was not refused for so long begins anew, with a minute. */
const rememberedSeconds = 6 * hourSeconds;

/** Recent activity of the account, once a UTC day. */
const summary =
  'Many payments were declined within ten minutes, as when stolen cards are tested. Until that ends, buyers who have not ' +
  'paid from their address in the last 30 days may retry a minute later.';

export function createRefusals({ windows, database, clock, wakeRelay, pepper }: RefusalDeps): Refusals {
  const digest = createKeyedDigest(pepper, 'payment-attempts');
  const digestOf = (accountId: string, address: string): string => digest(`${accountId} ${address}`).slice(0, 22);
  const paidCaller = (accountId: string, address: string) => `paid ${digestOf(accountId, address)}`;

  async function notify(accountId: string): Promise<void> {
    const now = clock.now();
    const source = { accountId, requestId: null, nowMs: now.getTime() };
    const key = `payments limited ${now.toISOString().slice(0, 10)}`;
    const event = outboxRow(paymentsLimited, { summary, test: false }, source);
    if ((await notifyOnce(database.pool, [{ accountId, key, event }], { now })) > 0) wakeRelay();
  }

  return {
    paidCaller,
    isKnown: async (accountId, address, hasPaid) => {
      const [paid = 0] = await windows.read(paidCaller(accountId, address));
      return paid > 0 || (await hasPaid());
    },
    admit: async (accountId, address, hasPaid) => {
      const digest = digestOf(accountId, address);
      const [paid = 0, refusals = 0] = await windows.read(paidCaller(accountId, address), `refusals ${digest}`);
      if (paid > 0 || (await hasPaid())) return;
      const seconds = Math.min(longestSeconds, firstSeconds * 2 ** refusals);
      const [refused] = await windows.add({ caller: `refused ${digest}`, amount: 1, seconds });
      if (refused === undefined) throw new Error('a refusal was not counted');
      if (refused.taken === 1) {
        await windows.add({ caller: `refusals ${digest}`, amount: 1, seconds: rememberedSeconds });
        if (refusals > 0) return;
        await notify(accountId);
      }
      throw tooManyAttempts(retryAfterOf(refused));
    },
  };
}
