import { insertOutboxSql } from '@app/messaging/outbox';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { pipelined } from '@app/service-kit/pipelined';
import { recordOf } from '@app/service-kit/row-arrays';
import {
  type Answer,
  type AnswerEvent,
  type AnswerWriter,
  createSingleAnswerWriter,
} from '../charging/answer-store.ts';
import { chargeColumns, chargeTypes } from '../charging/charge-columns.ts';
import type { Charge, Payment } from '../charging/payment.types.ts';
import type { Effects } from '../charging/payment-effects.rules.ts';
import { rowOfUpdate, updateColumns, updateTypes } from '../charging/payment-store.ts';
import { factWrites } from '../ledger/answered-facts.ts';
import { endOfRefundedOrder, lockOrderFirst } from '../subscriptions/cancel-refunded.ts';
import { givesBackOrder } from './refund.rules.ts';

/**
 * The answers to refunds. In one transaction the payment ends, its charge counts what went back, the events are written, and where
 * all of the order's own money is back its subscription ends: a process that dies leaves all of it or nothing.
 */
export const createRefundAnswerWriter = (database: Database): AnswerWriter =>
  createSingleAnswerWriter(database, writeAnswer);

const updateStatement = statement(
  'refunds-record',
  `update payments as p set ${updateColumns}
   from json_to_recordset($3::json) as c(${recordOf(updateTypes)})
   where p.account_id = $1 and p.order_id = $2 and p.id = c.id and p.status = any (c."from")`,
);

/** Of two answers the first one counts. */
async function writeAnswer(client: Client, answer: Answer): Promise<boolean> {
  const { payment, decision, events } = answer;
  const { id, accountId, orderId } = payment;
  const update = { ...rowOfUpdate(decision.update), id, account_id: accountId };
  if (decision.effects.refunded !== null) await lockOrderFirst(client, accountId, orderId);
  const { rowCount } = await client.query(updateStatement([accountId, orderId, JSON.stringify([update])]));
  if (rowCount !== 1) return false;
  await pipelined(client, factWrites([answer]));
  const { refunded } = decision.effects;
  const finishedAt = decision.update.finishedAt;
  if (refunded === null || finishedAt === null) await writeEvents(client, events);
  else await giveBack(client, { payment, refunded, events, finishedAt });
  return true;
}

/** The order's own charges and the refunded one, in the order in which disputes and requests of refunds lock them. */
const lockStatement = statement<Charge>(
  'refunds-lock-charges',
  `select ${chargeColumns()} from charges
   where account_id = $1 and id = any (array(
     select id from charges where account_id = $1 and order_id = $2 and step <> 'renewal' union select $3))
   order by id for no key update`,
  chargeTypes,
);

export async function lockCharges(
  client: Client,
  accountId: string,
  orderId: string,
  chargeId: string,
): Promise<Charge[]> {
  return (await client.query(lockStatement([accountId, orderId, chargeId]))).rows;
}

/** A charge of which all is back is not to be refunded any more. */
const countStatement = statement(
  'refunds-count',
  `update charges set refunded_cents = refunded_cents + $3,
     refund_due_at = case when refunded_cents + lost_cents + $3 < amount_cents then refund_due_at end
   where account_id = $1 and id = $2`,
);

interface Refunded {
  readonly payment: Payment;
  readonly refunded: NonNullable<Effects['refunded']>;
  readonly events: readonly AnswerEvent[];
  readonly finishedAt: Date;
}

/** What a refund that succeeded changes, in the transaction that records its payment. */
export async function giveBack(client: Client, { payment, refunded, events, finishedAt }: Refunded): Promise<void> {
  const { accountId, orderId } = payment;
  const charges = await lockCharges(client, accountId, orderId, refunded.id);
  await client.query(countStatement([accountId, refunded.id, refunded.cents]));
  const own = charges.filter(({ step }) => step !== 'renewal');
  const isWhole = givesBackOrder(own, refunded);
  await writeEvents(
    client,
    events.filter(({ if_whole }) => if_whole !== true || isWhole),
  );
  if (isWhole)
    await endOfRefundedOrder(client, {
      account_id: accountId,
      order_id: orderId,
      refunded_at: finishedAt,
      by_dispute: false,
    });
}

async function writeEvents(client: Client, events: readonly AnswerEvent[]): Promise<void> {
  if (events.length > 0) await client.query(insertOutboxSql, [JSON.stringify(events)]);
}
