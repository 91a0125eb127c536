import { accountTakenBack } from '@app/contracts/accounts';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { inIndexOrder } from '@app/service-kit/planner';
import type { EndpointDeps } from './endpoint-deps.ts';

interface Removed {
  readonly id: string;
  readonly account_id: string;
  readonly url: string | null;
}

/** In the order of their ids, as other changes of several lock them. */
const lockStatement = statement<Removed>(
  'endpoints-revoke-lock',
  'select id, account_id, url from endpoints where account_id = any($1) order by id for update',
  { id: 'text', account_id: 'text', url: 'text' },
);
const removeStatement = statement(
  'endpoints-revoke',
  'delete from endpoints where id = any($1) and account_id = any($2)',
);
const forgetFailuresStatement = statement(
  'endpoints-revoke-failures',
  'delete from failing_endpoints where endpoint_id = any($1)',
);
/** What waits for them is canceled (apply-change.ts). */
const recordStatement = statement(
  'endpoints-revoke-record',
  `insert into endpoint_changes as u (endpoint_id, account_id, url, changed_at)
   select endpoint_id, account_id, url, $4 from unnest($1::text[], $2::text[], $3::text[]) as c (endpoint_id, account_id, url)
   order by endpoint_id
   on conflict (endpoint_id) do update set changed_at = excluded.changed_at, url = excluded.url`,
);

/**
 * Removes all endpoints and automations of accounts, in the caller's transaction. Built-in automations are made anew, as they were at
 * first, by the next event of the account.
 * @returns their ids: what waits for them is canceled after the commit
 */
async function removeAll(client: Client, clock: Clock, accountIds: readonly string[]): Promise<string[]> {
  await client.query(inIndexOrder());
  const { rows } = await client.query(lockStatement([accountIds]));
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await client.query(removeStatement([ids, accountIds]));
  await client.query(forgetFailuresStatement([ids]));
  const values = [ids, rows.map(({ account_id }) => account_id), rows.map(({ url }) => url), clock.now()];
  await client.query(recordStatement(values));
  return ids;
}

type Deps = Pick<EndpointDeps, 'database' | 'clock' | 'applyChange' | 'announce'>;

/** Of one account; resolves once every replica was told, so that nothing is sent to their URLs from then on. Repeating it changes nothing. */
export async function revokeEndpoints(deps: Deps, accountId: string): Promise<{ ok: true }> {
  const ids = await deps.database.transaction((client) => removeAll(client, deps.clock, [accountId]));
  for (const id of ids) {
    await deps.applyChange(id);
    deps.announce(id);
  }
  return { ok: true };
}

/** Of accounts that were taken back, also where no request arrived. */
export const onTakenBack = ({ clock, announce }: Pick<Deps, 'clock' | 'announce'>): EventHandler =>
  onEvent(accountTakenBack, async (events, client, onCommit) => {
    const accountIds = [...new Set(events.map(({ accountId }) => accountId))].sort();
    const ids = await removeAll(client, clock, accountIds);
    onCommit(() => {
      for (const id of ids) announce(id);
    });
  });
