import { messagingRetention } from '@app/messaging/retention';
import type { RetentionRule } from '@app/service-kit/retention';

/** A command is repeated for 20 s and its tries end within the minute, so nobody asks for its refusal after a day. */
const refusalKeepDays = 1;

export const retention: readonly RetentionRule[] = [
  ...messagingRetention,
  {
    statement: `delete from order_refusals where order_id in
      (select order_id from order_refusals where created_at < now() - make_interval(days => $1) limit $2)`,
    limit: () => refusalKeepDays,
  },
];
