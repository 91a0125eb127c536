import { defineDatabase } from '@app/service-kit/define-database';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

export const { databaseOptions, migrate, runMigrations } = defineDatabase('webhook-dispatcher', {
  entities,
  migrations,
});

if (import.meta.main) await runMigrations();
