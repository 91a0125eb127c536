import { readDatabaseUrl } from './config.ts';

/** What `node src/db/migrate.ts` of every service does: migrates `DATABASE_URL` and says what it applied. */
export async function runMigrations(service: string, migrate: (url: string) => Promise<string[]>): Promise<void> {
  const applied = await migrate(readDatabaseUrl());
  process.stdout.write(
    `${service}: ${applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`}\n`,
  );
}
