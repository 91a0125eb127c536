import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, statement } from '@app/service-kit/database';
import type { ProcessorCall } from '../port.ts';

/** How fast an account's requests go to each endpoint of Stripe, which limits them by account and endpoint. */
export interface StripePace {
  /** Requests of an account to one endpoint, over all replicas. */
  readonly perSecond: number;
  /**
   * Resolves when the request may be sent. Work without a buyer waits as long as it takes, and never more than one turn ahead, so
   * that buyers come first.
   * @throws NoTurnError for a buyer's request that would wait too long, the signal's reason when it aborts
   */
  turn(call: ProcessorCall, endpoint: string): Promise<void>;
}

/** Nothing was sent: too many requests wait. */
class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
  readonly code = 'NO_TURN';

  constructor() {
    super('Too many requests are queued for this account.');
  }
}

/** Longer than this no buyer's request is queued at once; it is tried again until most of the deadline has passed. */
const buyerAheadMs = 2_000;

const turnStatement = statement<{ readonly wait_ms: number }>(
  'stripe-pace-turn',
  `insert into processor_pace as p (account_id, test, endpoint, next_at)
   values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4::float8 / 1000))
   on conflict (account_id, test, endpoint) do update
     set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => $4::float8 / 1000)
     where p.next_at <= clock_timestamp() + make_interval(secs => $5::float8 / 1000)
   returning extract(epoch from next_at - clock_timestamp())::float8 * 1000 - $4::float8 as wait_ms`,
  { wait_ms: 'float8' },
);

export function createStripePace({ pool }: Database, perSecond: number): StripePace {
  const spaceMs = 1_000 / perSecond;
  // Of what has no buyer one request at a time waits for a slot: the others would only poll more often.
  const lines = new Map<string, Promise<void>>();
  const take = async ({ accountId, test }: ProcessorCall, endpoint: string, aheadMs: number) => {
    const { rows } = await pool.query(turnStatement([accountId, test, endpoint, spaceMs, aheadMs]));
    return rows[0]?.wait_ms;
  };
  const inLine = async (call: ProcessorCall, endpoint: string): Promise<void> => {
    const { signal } = call;
    while (true) {
      signal.throwIfAborted();
      const waitMs = await take(call, endpoint, spaceMs);
      await sleep(Math.max(0, waitMs ?? spaceMs), undefined, { signal });
      if (waitMs !== undefined) return;
    }
  };
  return {
    perSecond,
    turn: async (call, endpoint) => {
      if (call.isBackground === true) {
        const line = `${call.accountId} ${call.test} ${endpoint}`;
        const before = lines.get(line);
        const mine = (before ?? Promise.resolve()).then(() => inLine(call, endpoint));
        const settled = mine.catch(() => undefined);
        lines.set(line, settled);
        void settled.then(() => lines.get(line) === settled && lines.delete(line));
        return await mine;
      }
      const waitMs = await take(call, endpoint, buyerAheadMs);
      if (waitMs === undefined) throw new NoTurnError();
      await sleep(Math.max(0, waitMs), undefined, { signal: call.signal });
    },
  };
}

/** The endpoint of a request as Stripe counts it: without the ids in its path. */
export const endpointOf = (method: string, path: string): string =>
  `${method} ${path.replace(/\?.*$/s, '').replaceAll(/\/[a-z]+_[^/]+/g, (part) => (/^\/[a-z_]+$/.test(part) ? part : '/{id}'))}`;
