import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { Disputes } from './0061-disputes.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  { name: '0061-disputes', class: Disputes },
];
