import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';
import { settleBatch } from './settle-endpoint.ts';

export interface Settling {
  /** Settles what few deliveries wait for the endpoint; many are left to the background. Never rejects. */
  settleFew(endpointId: string): Promise<void>;
  wake(): void;
  close(): Promise<void>;
}

/** A change says so at once to every replica; this is for the one that died before it could. */
const lookEveryMs = 1_000;
const endpointsMax = 1_000;
const unsettledStatement = statement(
  'endpoints-unsettled',
  `select endpoint_id from unsettled_endpoints order by changed_at, endpoint_id limit ${endpointsMax}`,
);

/**
 * Settles in the background what waits for endpoints that were switched or removed: batch by batch, endpoints in turn,
 * so that a million of one account delay no other's. What is left to do is in the database: it goes on wherever a
 * process died.
 */
export function startSettling(options: {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Deliveries became due. */
  released: () => void;
}): Settling {
  const { database, clock, logger, released } = options;
  const waker = createWaker();
  let closing = false;
  const settleOne = async (endpointId: string): Promise<boolean> => {
    const settled = await settleBatch(database, clock, endpointId);
    if (settled === 'released') released();
    return settled !== null;
  };
  const settleAll = async (): Promise<void> => {
    for (;;) {
      const { rows } = await database.pool.query<{ endpoint_id: string }>(unsettledStatement());
      if (rows.length === 0) return;
      for (const { endpoint_id: endpointId } of rows) {
        if (closing) return;
        await settleOne(endpointId);
      }
    }
  };
  const running = (async () => {
    while (!closing) {
      try {
        await settleAll();
      } catch (err) {
        if (!closing) logger.warn({ err }, 'what waits for changed endpoints is not settled yet; trying again');
      }
      if (!closing) await waker.sleep(lookEveryMs);
    }
  })();
  return {
    settleFew: async (endpointId) => {
      try {
        // The second finds out that the first was all there is.
        if (await settleOne(endpointId)) await settleOne(endpointId);
      } catch (err) {
        logger.warn({ err, endpointId }, 'what waits for a changed endpoint is settled in the background');
      }
    },
    wake: () => waker.wake(),
    close: async () => {
      closing = true;
      waker.wake();
      await running;
    },
  };
}
