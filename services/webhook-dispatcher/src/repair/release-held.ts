import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { isHeldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { isTestSend } from '../deliveries/test-send.rules.ts';
import { recoveryPerSecond } from './batch-size.rules.ts';

/**
 * Endpoints that have taken a delivery, or got another URL, since the last attempt of what is held for them: none of
 * their failures is as old as that attempt. One row of each endpoint is read, by the index. A release that its seller
 * canceled, of these or of all, is not begun again until the attempts of a later delivery, other than a test send, have
 * ended, too.
 */
const releasableStatement = statement<Releasable>(
  'held-releasable',
  `with recursive held as (
     (select endpoint_id, account_id, next_attempt_at as attempted_at from deliveries where ${isHeldForFailing}
      order by endpoint_id, id limit 1)
     union all
     select next.* from held, lateral (
       select endpoint_id, account_id, next_attempt_at from deliveries
       where ${isHeldForFailing} and endpoint_id > held.endpoint_id
       order by endpoint_id, id limit 1) next
   )
   select h.endpoint_id, h.account_id
   from held h join endpoints e on e.id = h.endpoint_id and e.account_id = h.account_id
   where e.active
     and not exists (
       select from failing_endpoints f where f.endpoint_id = h.endpoint_id and f.since <= h.attempted_at)
     and not exists (
       select from recoveries r where r.account_id = h.account_id and r.endpoint_id = h.endpoint_id and r.kind = 'held'
         and (r.status = 'running' or r.status = 'canceled' and r.finished_at > (
           select next_attempt_at from deliveries d
           where ${isHeldForFailing} and endpoint_id = h.endpoint_id and not ${isTestSend('d')}
           order by id desc limit 1)))
   limit 1000`,
  { endpoint_id: 'text', account_id: 'text' },
);

/** A change of an endpoint locks it first and its recoveries second, as this statement does. */
const beginStatement = statement(
  'held-release',
  `with endpoint as (
     select id, account_id from endpoints where id = $2 and account_id = $3 and active for share
   )
   insert into recoveries (id, account_id, endpoint_id, kind, which, until, per_second, created_at)
   select $1, account_id, id, 'held', 'failed', $4, $5, $4 from endpoint
   on conflict (endpoint_id, kind) where status = 'running' do nothing`,
);

interface Releasable {
  readonly endpoint_id: string;
  readonly account_id: string;
}

/**
 * Begins to send what is held because nothing reached its endpoint (deliveries/held-for-failing.rules.ts), once something
 * has. Which endpoints those are follows from what is stored, so a process that dies leaves it to the next search of any replica.
 */
export async function releaseHeld({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): Promise<void> {
  const { rows } = await database.pool.query(releasableStatement());
  for (const { endpoint_id: endpointId, account_id: accountId } of rows) {
    const now = clock.now();
    const id = newId('recovery', now.getTime());
    await database.pool.query(beginStatement([id, endpointId, accountId, now, recoveryPerSecond]));
  }
}
