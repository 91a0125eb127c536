import { messagingRetention } from '@app/messaging/retention';
import { statement } from '@app/service-kit/database';
import type { RetentionRule } from '@app/service-kit/retention';

/** Twice what a stream keeps: a sale that did not come by then cannot come any more. */
const waitingKeepDays = 60;

const waiting: RetentionRule = {
  statement: statement(
    'retention-waiting-renewals',
    `delete from waiting_renewals where (account_id, subscription_id, period) in
      (select account_id, subscription_id, period from waiting_renewals
       where received_at < now() - make_interval(days => $1) order by received_at limit $2)`,
  ),
  limit: () => waitingKeepDays,
};

export const retention = (): readonly RetentionRule[] => [...messagingRetention, waiting];
