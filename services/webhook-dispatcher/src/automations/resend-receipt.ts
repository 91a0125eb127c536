import type { resendReceipt as contract } from '@app/contracts/automations';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { type Client, statement } from '@app/service-kit/database';
import { currentTraceparent } from '@app/service-kit/tracing';
import { priorities } from '../deliveries/priority.rules.ts';
import { storeTestOnce } from '../events/store-test-once.ts';
import { readDelivery } from '../history/read-delivery.ts';
import { builtInId, builtInRows, materialiseStatement } from './automation-row.ts';
import { findAutomation } from './find-automation.ts';
import type { TestDeps } from './test-automation.ts';

interface Paid {
  readonly email: string | null;
  readonly product_id: string | null;
  readonly test: boolean;
  readonly occurred_at: Date;
  readonly body: string | null;
}

/** The event as it happened: a receipt that was sent again is one too, without a number in the account's log. */
const paidStatement = statement<Paid>(
  'receipt-event',
  `select e.email, e.product_id, e.test, e.occurred_at, b.body
   from events e left join event_bodies b on b.account_id = e.account_id and b.event_id = e.id
   where e.account_id = $1 and e.order_id = $2 and e.name = 'order.paid' and e.sequence is not null
   order by e.id limit 1`,
  { email: 'text', product_id: 'text', test: 'bool', occurred_at: 'timestamptz', body: 'text' },
);
/** Of an order in 24 hours: an address gets ten of a kind a day, and a typo is mended in fewer. */
const sentAgainMax = 5;
const lockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'receipt-lock',
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  { pg_advisory_xact_lock: 'void' },
);
const sentAgainStatement = statement<{ count: number }>(
  'receipt-sent-again',
  `select count(*)::int as count from events
   where account_id = $1 and order_id = $2 and name = 'order.paid' and sequence is null
     and stored_at > $3::timestamptz - interval '24 hours'`,
  { count: 'int4' },
);

/**
 * Sends the receipt of a paid order once more, as its payload was stored, to the buyer or to another address. It is bounded as what the
 * seller sends again; that of a rehearsal goes to the account's own address.
 * @throws DomainError order_not_found, body_expired, email_unavailable, limit_reached; invalid_transition while the receipt is off
 */
export async function resendReceipt(
  deps: TestDeps,
  { accountId, commandId }: RequestContext,
  { orderId, body: { email } = {} }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const { database, clock } = deps;
  const { rows } = await database.pool.query(paidStatement([accountId, orderId]));
  const [paid] = rows;
  if (paid === undefined)
    throw new DomainError('order_not_found', `No order that was paid in the last 30 days has the id "${orderId}".`);
  if (paid.body === null)
    throw new DomainError('body_expired', 'What a receipt is made of is kept for 30 days, and was deleted.');
  const endpointId = builtInId(accountId, 'receipt');
  await requireSending(deps, accountId, endpointId);
  const event = {
    id: idOfCommand('event', commandId),
    accountId,
    name: 'order.paid' as const,
    orderId,
    email: email ?? paid.email,
    productId: paid.product_id,
    test: paid.test,
    priority: priorities.resent,
    body: paid.body,
    traceparent: currentTraceparent() ?? null,
    occurredAt: paid.occurred_at.toISOString(),
  };
  const deliveryId = await storeTestOnce(deps, commandId, { event, endpointId }, async (client) => {
    await requireRoom(client, accountId, orderId, clock.now());
    await client.query(materialiseStatement([builtInRows([accountId])]));
  });
  if (deliveryId === undefined) throw new Error(`the receipt of ${orderId} has no automation`);
  return await readDelivery(database, accountId, deliveryId);
}

async function requireSending(deps: TestDeps, accountId: string, endpointId: string): Promise<void> {
  if (!deps.emailsAvailable)
    throw new DomainError('email_unavailable', 'This deployment has no mail server: emails cannot be sent.');
  const { active } = await findAutomation(deps.database, accountId, endpointId);
  if (!active)
    throw new DomainError('invalid_transition', 'The automation of receipts is off: switch it on to send one again.');
}

/** Two requests at once count one after the other. */
async function requireRoom(client: Client, accountId: string, orderId: string, now: Date): Promise<void> {
  await client.query(lockStatement([`receipt ${accountId} ${orderId}`]));
  const { rows } = await client.query(sentAgainStatement([accountId, orderId, now]));
  if ((rows[0]?.count ?? 0) < sentAgainMax) return;
  throw new DomainError(
    'limit_reached',
    `The receipt of an order is sent again ${sentAgainMax} times in 24 hours at most.`,
  );
}
