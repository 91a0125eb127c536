import { readSettingsOf } from '@app/account-settings/read-settings';
import type { RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import {
  type confirmWithdrawal as contract,
  type DeclaredWithdrawal,
  withdrawalRequested,
} from '@app/contracts/withdrawals';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import { type Database, statement } from '@app/service-kit/database';
import { findOrders } from './find-orders.ts';
import { draftOf } from './request-withdrawal.ts';
import { boughtKey, isLate, orderMeant } from './withdrawal.rules.ts';

type Receipt = RequestOutput<typeof contract>;

/** A row that is there already, of this command or of another statement about the same, is left, and no event follows. */
const declare = statement(
  'withdrawal-declare',
  `with declared as (
     insert into withdrawals (id, account_id, name, bought, bought_key, email, email_key, statement, order_id, late, test,
       status, requested_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'requested', $12)
     on conflict do nothing returning id)
   ${insertOutboxIfAny('declared', '$13')}`,
);

/**
 * Records a withdrawal, with its event. The response says nothing of what was found: neither of the order nor of an earlier statement.
 * @throws DomainError not_allowed_by_seller
 */
export async function confirmWithdrawal(
  { database, wakeRelay }: { readonly database: Database; readonly wakeRelay: () => void },
  body: DeclaredWithdrawal,
  { accountId, commandId, requestId }: RequestContext,
): Promise<Receipt> {
  const settings = await readSettingsOf(database.pool, accountId);
  const draft = draftOf(settings, body);
  const { name, bought, email } = body;
  // A repeat of the command says the same.
  const nowMs = idTimeMs(commandId);
  const receivedAt = new Date(nowMs);
  const requestedAt = receivedAt.toISOString();
  const order = orderMeant(bought, await findOrders(database, accountId, body));
  const withdrawalId = idOfCommand('withdrawal', commandId);
  const late = order && isLate(order.createdAt, receivedAt, settings.withdrawalDays);
  const found = {
    orderId: order?.id ?? null,
    productId: order?.productId ?? null,
    productName: order?.labels[0] ?? null,
    test: order?.test ?? false,
    late,
  };
  const event = { withdrawalId, ...found, name, bought, email, statement: draft.statement, requestedAt };
  const row = outboxRow(withdrawalRequested, event, { accountId, requestId, nowMs });
  await database.pool.query(
    declare([
      ...[withdrawalId, accountId, name, bought, boughtKey(bought), email, emailKey(email), draft.statement],
      ...[found.orderId, late, found.test, receivedAt, JSON.stringify([row])],
    ]),
  );
  wakeRelay();
  return { ...draft, receivedAt: requestedAt };
}
