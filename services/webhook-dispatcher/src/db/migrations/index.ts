import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/database';
import { Initial } from './0001-initial.ts';
import { SettlingAndDue } from './0003-settling-and-due.ts';
import { Retention } from './0004-retention.ts';
import { FailingEndpoints } from './0005-failing-endpoints.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  { name: '0003-settling-and-due', class: SettlingAndDue },
  eventTriesMigration,
  { name: '0004-retention', class: Retention },
  { name: '0005-failing-endpoints', class: FailingEndpoints },
];
