import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import { type closeWithdrawal as contract, withdrawalDeclined } from '@app/contracts/withdrawals';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { type Client, statement } from '@app/service-kit/database';
import { isLate } from './withdrawal.rules.ts';
import { type WithdrawalRow, withdrawalColumns, withdrawalOf, withdrawalTypes } from './withdrawal-row.ts';

type Closing = RequestInput<typeof contract>['body'];
type Withdrawal = RequestOutput<typeof contract>;

const lockStatement = statement<WithdrawalRow>(
  'withdrawal-lock',
  `select ${withdrawalColumns} from withdrawals where account_id = $1 and id = $2 for update`,
  withdrawalTypes,
);

const orderStatement = statement<{ readonly product_id: string; readonly created_at: Date }>(
  'withdrawal-order',
  'select product_id, created_at from orders where account_id = $1 and id = $2',
  { product_id: 'text', created_at: 'timestamptz' },
);

/** Another withdrawal of the same address that is about the order: this one would be its second row. */
const otherStatement = statement(
  'withdrawal-other',
  `select from withdrawals where account_id = $1 and id <> $2 and status <> 'declined' and coalesce(order_id, bought_key) = $3
     and email_key = (select email_key from withdrawals where account_id = $1 and id = $2)`,
);

const acceptStatement = statement(
  'withdrawal-accept',
  `update withdrawals set status = 'accepted', order_id = $3, late = $4, closed_at = $5 where account_id = $1 and id = $2`,
);
const declineStatement = statement(
  'withdrawal-decline',
  `update withdrawals set status = 'declined', answer = $3, closed_at = $4 where account_id = $1 and id = $2`,
);
const outboxStatement = statement('withdrawal-outbox', insertOutboxSql);

/**
 * Ends a withdrawal; the same end again answers the same. A declined one has its event in the same transaction.
 * @throws DomainError withdrawal_not_found, invalid_transition, validation_failed for an order that is missing or unknown
 */
export async function closeWithdrawal(
  { database, clock, wakeRelay }: UseCaseDeps,
  { withdrawalId, body }: RequestInput<typeof contract>,
  context: RequestContext,
): Promise<Withdrawal> {
  const of = [context.accountId, withdrawalId] as const;
  const read = async (client: Client): Promise<WithdrawalRow> => {
    const { rows } = await client.query(lockStatement([...of]));
    const [row] = rows;
    if (row === undefined) throw new DomainError('withdrawal_not_found', `No withdrawal has the id "${withdrawalId}".`);
    return row;
  };
  const closed = await database.transaction(async (client) => {
    const row = await read(client);
    if (isClosedSo(row, body)) return row;
    if (row.status !== 'requested')
      throw new DomainError('invalid_transition', `A withdrawal that is ${row.status} cannot be ${body.status}.`);
    const now = clock.now();
    if (body.status === 'accepted') await accept(client, row, body.orderId, context, now);
    else await decline(client, row, body.answer, context, now);
    return await read(client);
  });
  wakeRelay();
  return withdrawalOf(closed);
}

const isClosedSo = ({ status, answer, order }: WithdrawalRow, body: Closing): boolean =>
  status === body.status &&
  (body.status === 'declined' ? answer === body.answer : (body.orderId ?? order?.id) === order?.id);

async function accept(
  client: Client,
  row: WithdrawalRow,
  given: string | undefined,
  { accountId }: RequestContext,
  now: Date,
): Promise<void> {
  const orderId = given ?? row.order?.id;
  if (orderId === undefined)
    throw invalidField('orderId', 'must name the order that the withdrawal is about', 'required');
  const { rows } = await client.query(orderStatement([accountId, orderId]));
  const [order] = rows;
  if (order === undefined) throw invalidField('orderId', 'must be the id of an order', 'order_not_found');
  const others = await client.query(otherStatement([accountId, row.id, orderId]));
  if (others.rowCount !== 0)
    throw new DomainError('invalid_transition', 'Another withdrawal from this address is about this order.');
  const { withdrawalDays } = await readSettingsOf(client, accountId);
  const late = isLate(order.created_at, row.requested_at, withdrawalDays);
  await client.query(acceptStatement([accountId, row.id, orderId, late, now]));
}

async function decline(
  client: Client,
  row: WithdrawalRow,
  answer: string,
  { accountId, requestId }: RequestContext,
  now: Date,
): Promise<void> {
  await client.query(declineStatement([accountId, row.id, answer, now]));
  const { order, name, bought, email, statement, test } = row;
  const productId = order === null ? null : await productOf(client, accountId, order.id);
  const event = {
    withdrawalId: row.id,
    orderId: order?.id ?? null,
    productId,
    productName: order?.product_name ?? null,
    ...{ name, bought, email, statement, test, answer },
    requestedAt: row.requested_at.toISOString(),
    declinedAt: now.toISOString(),
  };
  const written = outboxRow(withdrawalDeclined, event, { accountId, requestId, nowMs: now.getTime() });
  await client.query(outboxStatement([JSON.stringify([written])]));
}

async function productOf(client: Client, accountId: string, orderId: string): Promise<string | null> {
  const { rows } = await client.query(orderStatement([accountId, orderId]));
  return rows[0]?.product_id ?? null;
}
