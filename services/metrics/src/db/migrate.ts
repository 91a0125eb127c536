import { migrateUp } from '@app/service-kit/database';
import { runMigrations } from '@app/service-kit/migrate-command';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

export const databaseOptions = (url: string) => ({ url, applicationName: 'metrics', entities, migrations });

/** Brings a database up to date; returns the names of the migrations it ran. */
export async function migrate(url: string): Promise<string[]> {
  return await migrateUp(databaseOptions(url));
}

if (import.meta.main) await runMigrations('metrics', migrate);
