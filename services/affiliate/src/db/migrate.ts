import { migrateUp } from '@app/service-kit/database';
import { readConfig } from '../config.ts';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

export const databaseOptions = (url: string) => ({ url, applicationName: 'affiliate', entities, migrations });

/** Brings a database up to date; returns the names of the migrations it ran. */
export async function migrate(url: string): Promise<string[]> {
  return await migrateUp(databaseOptions(url));
}

if (import.meta.main) {
  const applied = await migrate(readConfig().DATABASE_URL);
  process.stdout.write(`affiliate: ${applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`}\n`);
}
