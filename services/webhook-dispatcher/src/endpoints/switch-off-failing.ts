import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { endpointSwitchedOffText } from '../activity/activity.rules.ts';
import { insertNotices, newNotice } from '../activity/notices.ts';
import type { EndpointDeps } from './endpoint-deps.ts';

/**
 * Five days are longer than all tries of one delivery take together (71 hours). The minimum of 20 tries and 3 events
 * protects an endpoint that gets one event a week from being switched off because of one of them.
 */
export const failingForDays = `last_at >= since + interval '5 days' and attempts >= 20 and events >= 3`;

const endpointStatement = statement(
  'endpoint-to-switch-off',
  'select account_id, url from endpoints where id = $1 and active for update',
);
const failingStatement = statement(
  'endpoint-failing-taken',
  `delete from failing_endpoints where endpoint_id = $1 and ${failingForDays} returning since, attempts`,
);
const switchOffStatement = statement(
  'endpoint-switched-off',
  `with switched as (
     update endpoints set active = false, version = version + 1, updated_at = $2 where id = $1
     returning id, account_id, url
   )
   insert into unsettled_endpoints (endpoint_id, account_id, url, changed_at)
   select id, account_id, url, $2 from switched
   on conflict (endpoint_id) do update set changed_at = excluded.changed_at, url = excluded.url`,
);

/** Switches the endpoint off and records a notice. Returns false when the endpoint was changed or has succeeded meanwhile. */
async function switchOffFailing(database: Database, clock: Clock, endpointId: string): Promise<boolean> {
  return await database.transaction(async (client) => {
    const endpoint = (await client.query<{ account_id: string; url: string }>(endpointStatement([endpointId]))).rows[0];
    if (endpoint === undefined) return false;
    const failing = (await client.query<{ since: Date; attempts: number }>(failingStatement([endpointId]))).rows[0];
    if (failing === undefined) return false;
    await client.query(switchOffStatement([endpointId, clock.now()]));
    const { account_id: accountId, url } = endpoint;
    const summary = endpointSwitchedOffText(url, failing.since, failing.attempts);
    await client.query(insertNotices([JSON.stringify([newNotice(clock, { accountId, summary, url })])]));
    return true;
  });
}

/** Switches endpoints off and announces it to every replica. After an error, the endpoint's next failure tries again. */
export function createSwitchOff(
  deps: Pick<EndpointDeps, 'database' | 'clock' | 'settle' | 'announce'> & { logger: Logger },
): (endpointId: string) => void {
  const { database, clock, logger, settle, announce } = deps;
  const switchOff = async (endpointId: string): Promise<void> => {
    if (!(await switchOffFailing(database, clock, endpointId))) return;
    logger.info({ endpointId }, 'webhook endpoint switched off after days of failures');
    await settle(endpointId);
    announce(endpointId);
  };
  return (endpointId) => {
    switchOff(endpointId).catch((err: unknown) =>
      logger.warn({ err, endpointId }, 'a failing endpoint could not be switched off'),
    );
  };
}
