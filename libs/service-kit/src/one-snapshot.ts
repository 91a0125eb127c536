import type { Client, Database } from './database.ts';

/**
 * Runs statements that have to see the same rows, where what one has counted decides how many the next one reads.
 * @param read only reads
 */
export async function inOneSnapshot<T>(database: Database, read: (client: Client) => Promise<T>): Promise<T> {
  return await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only');
    return await read(client);
  });
}
