import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/webhook-deliveries';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { priorities } from '../deliveries/priority.rules.ts';
import { readDelivery } from '../history/read-delivery.ts';
import { movePending, setPending } from './pending-sql.ts';

export interface RedeliverDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Deliveries became due. */
  readonly released: () => void;
}

const findStatement = statement<{ endpoint_id: string; event_id: string }>(
  'redeliver-find',
  `select endpoint_id, event_id from deliveries where account_id = $1 and id = $2
  union all select endpoint_id, event_id from finished_deliveries where account_id = $1 and id = $2`,
  { endpoint_id: 'text', event_id: 'text' },
);

/** A shared lock: the endpoint is neither switched nor removed before the delivery is due. */
const endpointStatement = statement<{ active: boolean; is_connected: boolean }>(
  'redeliver-endpoint',
  `select active, url is not null or channel = 'email' as is_connected from endpoints
  where account_id = $1 and id = $2 for share`,
  { active: 'bool', is_connected: 'bool' },
);
const bodyStatement = statement('redeliver-body', 'select from event_bodies where account_id = $1 and event_id = $2');

const againStatement = statement<{ id: string }>(
  'redeliver-again',
  `with ${movePending('id = $2', { at: '$3::timestamptz', priority: priorities.resent, recoveryId: 'null' })} returning id`,
  { id: 'text' },
);

/**
 * One that is in line already keeps its position; one that is in flight is being sent now. It keeps its priority and its
 * recovery, too, so nothing marks it as requested (skipped.ts): held once more, it goes out as the filter is by then.
 */
const hastenStatement = statement<{ id: string }>(
  'redeliver-hasten',
  `update deliveries set ${setPending({
    at: `case when status = 'pending' and due then next_attempt_at else $3 end`,
    priority: 'priority',
    recoveryId: 'recovery_id',
  })}
  where account_id = $1 and id = $2 and status in ('pending', 'held') returning id`,
  { id: 'text' },
);
const inFlightStatement = statement(
  'redeliver-in-flight',
  `select from deliveries where account_id = $1 and id = $2 and status = 'sending'`,
);

/**
 * Sends a delivery again under the same `webhook-id`, to its endpoint as it is now, whatever its filter. One that waits is
 * due now, and two calls at once make one.
 * @throws DomainError delivery_not_found; invalid_transition while the endpoint is off, or when it was removed or has no URL;
 * body_expired after 30 days
 */
export async function redeliver(
  deps: RedeliverDeps,
  accountId: string,
  commandId: string,
  deliveryId: string,
): Promise<RequestOutput<typeof contract.redeliver>> {
  await runCommandOnce(deps.database.fork(), commandId, async (tx) => {
    await requireSendable(tx, accountId, deliveryId);
    await makeDue(tx, accountId, deliveryId, deps.clock.now());
    return {};
  });
  deps.released();
  return await readDelivery(deps.database, accountId, deliveryId);
}

async function requireSendable(tx: EntityManager, accountId: string, deliveryId: string): Promise<void> {
  const [delivery] = await executeBound(tx, findStatement([accountId, deliveryId]));
  if (delivery === undefined) throw new DomainError('delivery_not_found', 'No delivery has this id.');
  const [endpoint] = await executeBound(tx, endpointStatement([accountId, delivery.endpoint_id]));
  if (endpoint === undefined)
    throw new DomainError('invalid_transition', 'The endpoint of this delivery was removed, so nothing can be sent.');
  if (!endpoint.is_connected) throw new DomainError('invalid_transition', 'No URL is connected. Connect one first.');
  if (!endpoint.active)
    throw new DomainError('invalid_transition', 'The endpoint of this delivery is off. Switch it on first.');
  if ((await executeBound(tx, bodyStatement([accountId, delivery.event_id]))).length === 0)
    throw new DomainError(
      'body_expired',
      'Bodies of events are kept for 30 days, and this one was deleted: it cannot be sent again.',
    );
}

/**
 * A delivery that finishes, or is sent, at this very moment changes its table between two of these statements: it is
 * searched for again, and by then it is where it was not.
 */
async function makeDue(tx: EntityManager, accountId: string, deliveryId: string, now: Date): Promise<void> {
  const of = [accountId, deliveryId];
  for (let reads = 0; reads < 3; reads += 1) {
    if ((await executeBound(tx, againStatement([...of, now]))).length > 0) return;
    if ((await executeBound(tx, hastenStatement([...of, now]))).length > 0) return;
    if ((await executeBound(tx, inFlightStatement(of))).length > 0) return;
  }
  throw new DomainError('service_unavailable', 'Another request is changing this delivery: repeat the request.');
}
