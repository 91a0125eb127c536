import type { Outdated } from '@app/messaging/housekeeping';
import type { Clock } from '@app/service-kit/clock';
import { keptSince } from '../idempotency/idempotency.rules.ts';

/** Answers after their 30 days, and sessions that have ended. */
export const outdated = (clock: Clock): readonly Outdated[] => [
  {
    statement: `delete from idempotency_records where (account_id, key) in
      (select account_id, key from idempotency_records where created_at < $1 limit $2)`,
    limit: () => keptSince(clock.now()),
  },
  {
    statement: 'delete from sessions where id in (select id from sessions where expires_at < $1 limit $2)',
    limit: () => clock.now(),
  },
];
