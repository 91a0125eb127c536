import { defineDatabase } from '@app/service-kit/define-database';
import { migrations } from './migrations/index.ts';

export const { databaseOptions, migrate, runMigrations } = defineDatabase('checkout', { migrations });

if (import.meta.main) await runMigrations();
