import { migrateUp } from '@app/service-kit/database';
import { readDatabaseUrl } from '../config.ts';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

export const databaseOptions = (url: string) => ({ url, applicationName: 'webhook-dispatcher', entities, migrations });

/** Brings a database up to date; returns the names of the migrations it ran. */
export async function migrate(url: string): Promise<string[]> {
  return await migrateUp(databaseOptions(url));
}

if (import.meta.main) {
  const applied = await migrate(readDatabaseUrl());
  process.stdout.write(
    `webhook-dispatcher: ${applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`}\n`,
  );
}
