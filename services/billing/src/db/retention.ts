import { messagingRetention } from '@app/messaging/retention';
import type { Clock } from '@app/service-kit/clock';
import type { RetentionRule } from '@app/service-kit/retention';

/** Thirteen months, so that a year's runs can be compared with those of the year before. */
const runKeepDays = 396;

export const retention = (clock: Clock): readonly RetentionRule[] => [
  ...messagingRetention,
  {
    statement: 'delete from daily_runs where id in (select id from daily_runs where started_at < $1 limit $2)',
    limit: () => new Date(clock.nowMs() - runKeepDays * 24 * 60 * 60 * 1000),
  },
  {
    statement: `delete from told_orphans where (account_id, processor, side, kind, id) in (
      select account_id, processor, side, kind, id from told_orphans where told_at < $1 limit $2)`,
    limit: () => new Date(clock.nowMs() - runKeepDays * 24 * 60 * 60 * 1000),
  },
];
