import { readDatabaseUrl } from './config.ts';
import type { DatabaseOptions } from './database.ts';
import { migrateUp, UnusableDataError } from './migrations.ts';

/** A service's database: what opens it, what brings it up to date, and the command that does. */
export interface DatabaseDefinition {
  readonly databaseOptions: (url: string) => DatabaseOptions;
  /** Applies what is missing; returns the names of the migrations it applied. */
  readonly migrate: (url: string) => Promise<string[]>;
  /** What `node src/db/migrate.ts` does: migrates `DATABASE_URL` and says what it applied, or why it cannot: then it ends with 1. */
  readonly runMigrations: () => Promise<void>;
}

/** @param parts its migrations, and the entities that the ORM maps, if any */
export function defineDatabase(
  service: string,
  parts: Pick<DatabaseOptions, 'migrations'> & Partial<Pick<DatabaseOptions, 'entities'>>,
): DatabaseDefinition {
  const databaseOptions = (url: string): DatabaseOptions => ({
    url,
    applicationName: service,
    entities: [],
    ...parts,
  });
  const migrate = (url: string): Promise<string[]> => migrateUp(databaseOptions(url));
  return {
    databaseOptions,
    migrate,
    runMigrations: async () => {
      try {
        const applied = await migrate(readDatabaseUrl());
        const outcome = applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`;
        process.stdout.write(`${service}: ${outcome}\n`);
      } catch (err) {
        if (!(err instanceof UnusableDataError)) throw err;
        process.stderr.write(`${service}: ${err.message}\n`);
        process.exitCode = 1;
      }
    },
  };
}
