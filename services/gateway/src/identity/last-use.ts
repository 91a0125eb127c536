import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { credentialUseRecorded } from '../points/points.ts';
import type { FoundCredential } from './find-actor.ts';

/** `last_used_at` is written at most once a minute for each credential. */
const everyMs = 60_000;

const touchKey = statement(
  'api-key-touch',
  `update api_keys set last_used_at = $2 where id = $1 and account_id = $4
     and (last_used_at is null or last_used_at <= $3)`,
);

const touchSession = statement(
  'session-touch',
  `update sessions set last_used_at = $2 where id = $1 and user_id = $4
     and (last_used_at is null or last_used_at <= $3)`,
);

/** Records when keys and sessions were used. No request waits for it; a write that fails is made a minute later. */
export class LastUse {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #writing = new Set<Promise<void>>();

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  note({ kind, id, ownerId, lastUsedAtMs }: FoundCredential, nowMs: number): void {
    if (nowMs - lastUsedAtMs < everyMs) return;
    const touch = kind === 'key' ? touchKey : touchSession;
    const values = [id, new Date(nowMs), new Date(nowMs - everyMs), ownerId];
    const write = this.#database.pool.query(touch(values)).then(
      () => credentialUseRecorded.announce(() => ({ id })),
      (err: unknown) => this.#logger.warn({ err }, 'the use of a credential was not recorded'),
    );
    this.#writing.add(write);
    void write.finally(() => this.#writing.delete(write));
  }

  /** Resolves when everything noted is written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
