import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { keyUseRecorded } from '../points/points.ts';
import type { FoundKey } from './find-actor.ts';

/** `last_used_at` is written at most once a minute for each key. */
const everyMs = 60_000;

const touch = statement(
  'api-key-touch',
  `update api_keys set last_used_at = $2 where id = $1 and account_id = $4
     and (last_used_at is null or last_used_at <= $3)`,
);

/** Notes that keys are used. Nobody waits for it, and a note that fails is written a minute later. */
export class KeyUsage {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #writing = new Set<Promise<void>>();

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  note(key: FoundKey, nowMs: number): void {
    if (nowMs - key.lastUsedAtMs < everyMs) return;
    const values = [key.keyId, new Date(nowMs), new Date(nowMs - everyMs), key.actor.accountId];
    const write = this.#database.pool.query(touch(values)).then(
      () => keyUseRecorded.announce(() => ({ keyId: key.keyId })),
      (err: unknown) => this.#logger.warn({ err }, 'the use of a key was not noted'),
    );
    this.#writing.add(write);
    void write.finally(() => this.#writing.delete(write));
  }

  /** Resolves when everything noted is written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
