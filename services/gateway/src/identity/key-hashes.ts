import { type Database, statement } from '@app/service-kit/database';
import type { Secrets } from '@app/service-kit/sealed-box';
import { hashApiKey, pepperId } from './api-key-format.ts';
import { type FoundCredential, findKey } from './find-actor.ts';

/** The hashes under which a key may be stored: while the pepper is being rotated, a second one. */
export type KeyHashes = (key: string) => readonly [today: Buffer, ...earlier: Buffer[]];

export const createKeyHashes =
  (peppers: Secrets): KeyHashes =>
  (key) =>
    peppers.map((pepper) => hashApiKey(key, pepper)) as [Buffer, ...Buffer[]];

/** Of two processes that move the same key one finds nothing more to change. */
const moveStatement = statement(
  'api-key-move',
  'update api_keys set hash = $2, pepper = $3 where id = $1 and pepper is distinct from $3',
);

/**
 * Finds a key under any of the peppers. One that is not marked with the pepper of today is moved to it, which is all that
 * can be done: only who uses a key knows it.
 */
export function createKeySearch(
  database: Database,
  peppers: Secrets,
): (key: string) => Promise<FoundCredential | null> {
  const hashes = createKeyHashes(peppers);
  const today = pepperId(peppers[0]);
  return async (key) => {
    const [current, ...earlier] = hashes(key);
    for (const hash of [current, ...earlier]) {
      const found = await findKey(database, hash);
      if (found === null) continue;
      // Nothing is written while nothing is rotated.
      if (earlier.length > 0 && found.pepper !== today)
        await database.pool.query(moveStatement([found.id, current, today]));
      return found;
    }
    return null;
  };
}
