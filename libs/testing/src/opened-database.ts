import { type Database, type DatabaseOptions, openDatabase } from '@app/service-kit/database';
import { createMigratedDatabase } from './postgres.ts';

export interface OpenedDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes it, and drops it. */
  close(): Promise<void>;
}

/** A migrated database for the calling test file, opened as its service opens it. @param name as of `createMigratedDatabase` */
export async function openMigratedDatabase(
  name: string,
  migrate: (url: string) => Promise<unknown>,
  databaseOptions: (url: string) => DatabaseOptions,
): Promise<OpenedDatabase> {
  const { url, close } = await createMigratedDatabase(name, migrate);
  const database = await openDatabase(databaseOptions(url));
  return {
    url,
    database,
    close: async () => {
      await database.close();
      await close();
    },
  };
}
