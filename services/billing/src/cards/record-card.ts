import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { recordOf } from '@app/service-kit/row-arrays';
import { sendingOf } from '../charging/answer-changes.rules.ts';
import { type Answer, type AnswerWriter, createSingleAnswerWriter } from '../charging/answer-store.ts';
import { hurryRenewalsStatement } from '../charging/hurry-renewals.ts';
import { rowOfUpdate, updateColumns, updateTypes } from '../charging/payment-store.ts';
import { readAheadDays, rehearsalTime } from '../runs/rehearsal-time.ts';
import { lockSubscription } from '../subscriptions/lock-subscription.ts';
import { stateColumns, stateValues } from '../subscriptions/subscription-rows.ts';
import { decideCard, type RecordedCard } from './card-answer.rules.ts';

const answeredTypes = { ...updateTypes, sending: 'timestamptz' } as const;
// A statement of its own, after the lock: it sees a newer card that was saved while the lock was waited for.
const recordStatement = statement<RecordedCard>(
  'cards-record',
  `with changed as (
     update payments as p set ${updateColumns}
     from json_to_recordset($3::json) as c(${recordOf(answeredTypes)})
     where p.account_id = $1 and p.order_id = $2 and p.id = c.id and p.status = any (c."from") and not p.releasing
       and (c.sending is null or c.sending = p.sent_at)
     returning p.id, p.attempt_no, p.status, p.processor, p.request ->> 'paymentMethod' as card
   )
   select c.status, exists (
     select from payments as p where p.account_id = $1 and p.order_id = $2 and p.step = 'card' and p.status = 'succeeded'
       and p.attempt_no > c.attempt_no) as superseded, coalesce((
       select p.processor = c.processor and p.request ->> 'paymentMethod' = c.card from payments as p
       where p.account_id = $1 and p.order_id = $2 and p.step = 'card' and p.status = 'succeeded' and p.attempt_no < c.attempt_no
       order by p.attempt_no desc limit 1), false) as repeated
   from changed as c`,
  { status: 'text', superseded: 'bool', repeated: 'bool' },
);

const replaceStatement = statement(
  'cards-replace',
  `update subscriptions set ${stateColumns}, payment_method = $18, processor = $19, last_four = $20, wallet = $21
   where account_id = $1 and id = $2`,
);

/**
 * The answers to cards that are saved. In one transaction the payment ends and the subscription gets the card, unless it is
 * canceled, or that card or one that was given later is saved already (`decideCard`): it never has two, nor one that is not saved.
 */
export const createCardAnswerWriter = (database: Database, clock: Clock): AnswerWriter =>
  createSingleAnswerWriter(database, (client, answer) => writeAnswer(client, answer, clock.now()));

/** @returns false where the payment had ended before, or was sent again since */
async function writeAnswer(client: Client, { payment, decision }: Answer, now: Date): Promise<boolean> {
  const { id, accountId, orderId, test, processor } = payment;
  const locked = await lockSubscription(client, accountId, orderId);
  const about = { id, account_id: accountId, sending: sendingOf(payment, decision.update) };
  const update = JSON.stringify([{ ...rowOfUpdate(decision.update), ...about }]);
  const { rows } = await client.query(recordStatement([accountId, orderId, update]));
  const [recorded] = rows;
  if (recorded === undefined) return false;
  const aheadDays = test ? ((await readAheadDays(client, [accountId])).get(accountId) ?? 0) : 0;
  const next = decideCard(recorded, locked, rehearsalTime(now, aheadDays));
  if (next === null) return true;
  const { method } = decision.effects;
  if (method === null) throw new Error(`payment ${id} succeeded without a saved card`);
  const card = [method.method, processor, method.last_four, method.wallet];
  const values = [...stateValues(accountId, next.id, next), ...card];
  await client.query(replaceStatement(values));
  await client.query(hurryRenewalsStatement([[accountId], [orderId]]));
  return true;
}
