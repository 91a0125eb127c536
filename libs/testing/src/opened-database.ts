import { type Database, type DatabaseOptions, openDatabase } from '@app/service-kit/database';
import { afterAll, beforeAll } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from './postgres.ts';

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

/**
 * Called at the top of a test file: a migrated database that two replicas have opened, each with a pool of its own, from before
 * the file's tests until after them.
 */
export function openForReplicas(
  name: string,
  migrate: (url: string) => Promise<unknown>,
  databaseOptions: (url: string) => DatabaseOptions,
): readonly Database[] {
  let created: TestDatabase;
  const databases: Database[] = [];
  beforeAll(async () => {
    created = await createMigratedDatabase(name, migrate);
    const options = databaseOptions(created.url);
    databases.push(await openDatabase(options), await openDatabase(options));
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await created.close();
  });
  return databases;
}
