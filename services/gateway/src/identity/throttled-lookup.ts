import { BatcherFullError, createBatcher } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import { createWaker } from '@app/service-kit/waker';

/** Looks up credentials of clients that have sent too many invalid ones. */
export interface ThrottledLookup {
  /** Whether a key or a session has this hash. Also false when too many look-ups wait. */
  exists(hash: Buffer): Promise<boolean>;
  close(): Promise<void>;
}

/** Four statements a second for all clients. One statement finds 1,000 hashes in some milliseconds. */
const pauseMs = 250;
const batchMax = 1_000;
const waitingMax = 2_000;

const existing = statement<{ hash: Buffer }>(
  'credentials-existing',
  `select hash from api_keys where hash = any($1) and revoked_at is null
   union all
   select hash from sessions where hash = any($1)`,
  { hash: 'bytea' },
);

export function createThrottledLookup({ pool }: Database): ThrottledLookup {
  const { sleep } = createWaker();
  let beganMs = Number.NEGATIVE_INFINITY;
  const batcher = createBatcher<Buffer, boolean>({
    maxSize: batchMax,
    maxWaiting: waitingMax,
    run: async (hashes) => {
      const leftMs = pauseMs - (performance.now() - beganMs);
      if (leftMs > 0) await sleep(leftMs);
      beganMs = performance.now();
      const { rows } = await pool.query(existing([hashes]));
      const found = new Set(rows.map(({ hash }) => hash.toString('base64')));
      return hashes.map((hash) => ({ ok: true, value: found.has(hash.toString('base64')) }));
    },
  });
  return {
    exists: async (hash) => {
      try {
        return await batcher.add(hash);
      } catch (err) {
        if (err instanceof BatcherFullError) return false;
        throw err;
      }
    },
    close: () => batcher.close(),
  };
}
