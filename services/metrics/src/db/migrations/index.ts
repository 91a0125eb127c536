import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { ActiveChanges } from './0004-active-changes.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  installationMigration,
  { name: '0004-active-changes', class: ActiveChanges },
];
