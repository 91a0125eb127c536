import type { Migrations } from '@app/service-kit/database';
import { Initial } from './0001-initial.ts';
import { IdempotencyOwner } from './0002-idempotency-owner.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-idempotency-owner', class: IdempotencyOwner },
];
