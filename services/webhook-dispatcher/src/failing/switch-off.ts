import { endpointOff } from '@app/contracts/webhooks';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { storeNotice, writeNoticeAutomation } from '../automations/store-notice.ts';
import { type Failing, mustSwitchOff, needsVerdict } from '../deliveries/failing-for-days.rules.ts';
import { isAutomation } from '../destinations/destination-kind-sql.ts';
import type { EndpointDeps } from '../endpoints/endpoint-deps.ts';
import { endpointJudged } from '../points/points.ts';
import { stopHeldStatement } from '../repair/held-recovery.ts';
import type { Partitions } from '../storage/partitions.ts';
import {
  endpointFailingText,
  endpointGoneText,
  endpointSwitchedOffText,
  type Unreached,
} from '../texts/activity.rules.ts';

const ownerStatement = statement<{ account_id: string }>(
  'endpoint-owner',
  'select account_id from endpoints where id = $1',
  { account_id: 'text' },
);
const lockStatement = statement<Locked>(
  'endpoint-to-switch-off',
  `select account_id, url, case when ${isAutomation()} then name end as automation from endpoints
   where id = $1 and active and url is not null for update`,
  { account_id: 'text', url: 'text', automation: 'text' },
);
const failingStatement = statement<Failing>(
  'endpoint-failing',
  `select since, last_at, attempts, events, warned_at from failing_endpoints
   where endpoint_id = $1 and account_id = $2 for update`,
  { since: 'timestamptz', last_at: 'timestamptz', attempts: 'int4', events: 'int4', warned_at: 'timestamptz' },
);
const warnedStatement = statement(
  'endpoint-warned',
  'update failing_endpoints set warned_at = $3 where endpoint_id = $1 and account_id = $2',
);
const forgetStatement = statement(
  'endpoint-failing-forgotten',
  'delete from failing_endpoints where endpoint_id = $1 and account_id = $2',
);
const switchOffStatement = statement(
  'endpoint-switched-off',
  `with switched as (
     update endpoints set active = false, switched_off_reason = $4, switched_off_at = $3, version = version + 1,
       updated_at = $3
     where id = $1 and account_id = $2
     returning id, account_id, url
   )
   insert into endpoint_changes (endpoint_id, account_id, url, changed_at)
   select id, account_id, url, $3 from switched
   on conflict (endpoint_id) do update set changed_at = excluded.changed_at, url = excluded.url`,
);

interface Storage {
  readonly database: Database;
  readonly clock: Clock;
  readonly partitions: Partitions;
  readonly emailsAvailable: boolean;
}

/** What is to be done with an endpoint, and what its seller reads about it. */
interface Verdict {
  readonly reason: 'gone' | 'failing' | 'warned';
  readonly summary: string;
}

interface Locked extends Unreached {
  readonly account_id: string;
}

/**
 * Notifies the seller, in Recent activity and by email, and switches the endpoint off unless it is only `warned`: all or
 * nothing. `warned_at` remembers the notification, and not `notifyOnce`: it is forgotten with the failures at the first
 * success, the statement that records a failure returns it, and the notice is a row here where `notifyOnce` writes an event.
 */
async function warnOrSwitchOff(
  storage: Storage,
  endpointId: string,
  decide: (client: Client, endpoint: Locked) => Promise<Verdict | null>,
): Promise<Verdict | null> {
  const { database, clock, partitions } = storage;
  return await database.transaction(async (client) => {
    const [owner] = (await client.query(ownerStatement([endpointId]))).rows;
    if (owner !== undefined) await writeNoticeAutomation(storage, client, owner.account_id);
    const [endpoint] = (await client.query(lockStatement([endpointId]))).rows;
    const verdict = endpoint === undefined ? null : await decide(client, endpoint);
    if (endpoint === undefined || verdict === null) return null;
    const { account_id: accountId, url } = endpoint;
    const { reason, summary } = verdict;
    const now = clock.now();
    if (reason === 'warned') await client.query(warnedStatement([endpointId, accountId, now]));
    else {
      await client.query(forgetStatement([endpointId, accountId]));
      await client.query(switchOffStatement([endpointId, accountId, now, reason]));
      await client.query(stopHeldStatement([endpointId, accountId, now]));
    }
    await insertNotices(client, partitions, [newNotice(clock, { accountId, summary, url, endpointId })]);
    const payload = { event: endpointOff, endpointId, url, reason, summary, sentAt: now.toISOString() } as const;
    await storeNotice(storage, client, { accountId, builtIn: 'endpoint_off_notice', payload });
    return verdict;
  });
}

async function failingVerdict(client: Client, endpointId: string, endpoint: Locked): Promise<Verdict | null> {
  const [failing] = (await client.query(failingStatement([endpointId, endpoint.account_id]))).rows;
  // It has succeeded meanwhile.
  if (failing === undefined || !needsVerdict(failing)) return null;
  const { since, attempts } = failing;
  return mustSwitchOff(failing)
    ? { reason: 'failing', summary: endpointSwitchedOffText(endpoint, since, attempts) }
    : { reason: 'warned', summary: endpointFailingText(endpoint, since, attempts) };
}

export interface SwitchOff {
  /** The endpoint has failed for a day: its seller is notified, once; or for five days: it is switched off. */
  failingForLong(endpointId: string): void;
  /** The URL has answered 410: its endpoint is switched off, unless it has another URL by now. */
  gone(endpointId: string, url: string): void;
}

/**
 * Switches endpoints off that are gone or fail, and announces it to every replica. After an error, or a kill, the
 * endpoint's next failure does it.
 */
export function createSwitchOff(
  deps: Storage & Pick<EndpointDeps, 'applyChange' | 'announce'> & { logger: Logger },
): SwitchOff {
  const { logger, applyChange, announce } = deps;
  const running = new Set<string>();
  const run = async (endpointId: string, decide: Parameters<typeof warnOrSwitchOff>[2]): Promise<void> => {
    // Many deliveries fail at once, and one of them is enough.
    if (running.has(endpointId)) return;
    running.add(endpointId);
    try {
      const verdict = await warnOrSwitchOff(deps, endpointId, decide);
      if (verdict !== null)
        logger.info({ endpointId, reason: verdict.reason }, 'webhook endpoint rejects its deliveries');
      if (verdict !== null && verdict.reason !== 'warned') {
        await applyChange(endpointId);
        announce(endpointId);
      }
      endpointJudged.announce(() => ({ endpointId, reason: verdict?.reason ?? null }));
    } catch (err) {
      logger.warn({ err, endpointId }, 'a failing endpoint could not be switched off');
    } finally {
      running.delete(endpointId);
    }
  };
  return {
    failingForLong: (endpointId) => void run(endpointId, (client, found) => failingVerdict(client, endpointId, found)),
    gone: (endpointId, url) =>
      void run(endpointId, async (_, found) =>
        found.url === url ? { reason: 'gone', summary: endpointGoneText(found) } : null,
      ),
  };
}
