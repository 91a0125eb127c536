import { type OutboxRow, outboxColumns, outboxTypes } from '@app/messaging/outbox';
import type { Batcher } from '@app/service-kit/batcher';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { isOneRow, keyAgain } from '@app/service-kit/planner';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { createStatementBatcher, type StatementPart } from '@app/service-kit/statement-batcher';
import { answeredColumns, insertAnswered, seenTypes } from '../ledger/answered-facts.ts';
import type { Seen } from '../ledger/write-facts.ts';
import { answersRecorded } from '../points/points.ts';
import type { DecidedEvent, Decision } from './decide-answer.rules.ts';
import type { Payment } from './payment.types.ts';
import type { Effects } from './payment-effects.rules.ts';
import { updateColumns, updateTypes } from './payment-store.ts';

/** A decided answer to a payment, and the rows of its events. */
export interface Answer {
  readonly payment: Payment;
  readonly decision: Decision;
  readonly events: readonly AnswerEvent[];
  readonly seen: Seen;
}

export type AnswerEvent = OutboxRow & Pick<DecidedEvent, 'of' | 'if_whole'>;

/** Writes answers; false for one whose payment came to an end before. */
export type AnswerWriter = Pick<Batcher<Answer, boolean>, 'add' | 'close'>;

/**
 * What follows from the answer to a refund, a renewal or a card concerns a subscription too. Each kind has a writer, whose
 * transactions lock it; `order` is that of all other payments.
 */
export interface AnswerWriters {
  readonly order: AnswerWriter;
  readonly refund: AnswerWriter;
  readonly renewal: AnswerWriter;
  readonly card: AnswerWriter;
}

/** The columns of what follows from a payment. */
type Effect<Name extends keyof Effects> = ColumnsOf<NonNullable<Effects[Name]>>;
const chargeTypes: Effect<'charge'> = { step: 'text', amount_cents: 'int8', reference: 'text' };
const holdTypes: Effect<'hold'> = {
  reference: 'text',
  amount_cents: 'int8',
  capture_before: 'timestamptz',
  decide_by: 'timestamptz',
  upsell: 'json',
  due_at: 'timestamptz',
};
const methodTypes: Effect<'method'> = { method: 'text', last_four: 'text', wallet: 'text' };
const ofPayment = { payment_id: 'text' };
const ofOrder = { order_id: 'text' };
const eventTypes = { of: 'text', ...outboxTypes };

const mayChange = `${isOneRow('l')} and p.id = l.id and p.id = c.id and p.order_id = c.order_id
  and p.account_id = c.account_id and p.status = any (c."from")`;

/**
 * Writes processors' answers and all that follows from them in one statement. A payment whose end was recorded before stays
 * as it is: of two answers to one payment the first one counts, and its events are written once. A payment that is being
 * released stays as it is too, until its release has an end: a hold whose success were recorded would be released afterwards.
 *
 *   locked    all payments of the statement, in one order over all replicas: none waits for another that waits for it
 *   changed   payments that were answered        released  those that releases are about, with their own events
 *   charge    money taken      hold   money held           method    cards, for charges without the buyer
 *   captured  holds that money was taken of            seen   what the processor did, in its ledger
 *
 * $1 accounts, $2 orders and $3 payments, those that releases are about among them; $4–$10 lists of rows, one for each of these
 * parts: JSON that holds all of them would be read anew for each.
 *
 * Payments are looked up one by one, by their orders.
 */
const recordStatement = statement<{ changed: string[] }>(
  'payments-record',
  `with locked as materialized (
     select p.id, ${keyAgain('w.id')}
     from (select account_id, order_id, id from unnest($1::text[], $2::text[], $3::text[]) as u(account_id, order_id, id)
       order by id) as w
     cross join lateral (
       select id from payments
       where account_id = w.account_id and order_id = w.order_id and id = w.id for no key update) as p
   ), changed as (
     update payments as p set ${updateColumns}
     from locked as l, json_to_recordset($4::json) as c(${recordOf({ ...ofOrder, ...seenTypes, ...updateTypes })})
     where ${mayChange} and not p.releasing
     returning ${answeredColumns}, p.customer_email
   ), released as (
     update payments as p set ${updateColumns}, releasing = false
     from locked as l, json_to_recordset($5::json) as c(${recordOf({ ...ofOrder, release_id: 'text', ...updateTypes })})
     where ${mayChange} and c.release_id in (select id from changed)
     returning p.id
   ), seen as (
     ${insertAnswered('changed')}
   ), charge as (
     insert into charges (id, account_id, order_id, ${namesOf(chargeTypes)}, currency, processor, test, charged_at)
     select p.id, p.account_id, p.order_id, ${namesOf(chargeTypes, 'c')}, p.currency, p.processor, p.test, p.finished_at
     from changed as p, json_to_recordset($6::json) as c(${recordOf({ ...ofPayment, ...chargeTypes })})
     where p.id = c.payment_id
   ), hold as (
     insert into holds (order_id, account_id, payment_id, ${namesOf(holdTypes)}, currency, status, processor, test, held_at)
     select p.order_id, p.account_id, p.id, ${namesOf(holdTypes, 'h')}, p.currency, 'held', p.processor, p.test, p.finished_at
     from changed as p, json_to_recordset($7::json) as h(${recordOf({ ...ofPayment, ...holdTypes })})
     where p.id = h.payment_id
   ), method as (
     insert into payment_methods (account_id, order_id, customer_email, processor, ${namesOf(methodTypes)}, saved_at)
     select p.account_id, p.order_id, p.customer_email, p.processor, ${namesOf(methodTypes, 'm')}, p.finished_at
     from changed as p, json_to_recordset($8::json) as m(${recordOf({ ...ofPayment, ...methodTypes })})
     where p.id = m.payment_id
     on conflict (account_id, order_id) do update
     set method = excluded.method, processor = excluded.processor, last_four = excluded.last_four,
       wallet = excluded.wallet
   ), captured as (
     update holds as h set captured_cents = h.captured_cents + c.cents
     from changed as p, json_to_recordset($9::json) as c(${recordOf({ ...ofPayment, cents: 'int8' })})
     where p.id = c.payment_id and h.account_id = p.account_id and h.order_id = p.order_id
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($10::json) as e(${recordOf(eventTypes)})
     where e."of" in (select id from changed union all select id from released)
   )
   select array(select id from changed) as changed`,
  { changed: 'text[]' },
);

/**
 * The rows of an answer are made before it waits for the statement that writes it with others. Of two answers to one payment,
 * or one to it and one that ends it, the second finds what the first one wrote.
 */
export function createOrderAnswerWriter(database: Database): AnswerWriter {
  const batcher = createStatementBatcher(database, recordStatement, {
    span: { service: 'billing', one: 'record payment', many: 'record payments', count: 'app.payments' },
    concurrency: 2,
  });
  return {
    add: async (answer) => {
      const { id } = answer.payment;
      const [row] = await batcher.add(partOf(answer));
      answersRecorded.announce(() => ({ paymentIds: [id] }));
      return row?.changed.includes(id) === true;
    },
    close: () => batcher.close(),
  };
}

/** What an answer adds to the parameters of `recordStatement`. */
function partOf({ payment, decision, events, seen }: Answer): StatementPart {
  const { id, accountId, orderId, releasedPaymentId } = payment;
  const { charge, hold, method, captured_cents: cents } = decision.effects;
  const of = { account_id: accountId, order_id: orderId };
  const changed = { ...decision.update, id, ...of, seen_by: seen.by, seen_at: seen.at };
  // A release is a payment of the same order.
  const released = rowsOf(decision.released, { id: releasedPaymentId, release_id: id, ...of });
  const all = [changed, ...released];
  const ofPayment = { payment_id: id };
  return {
    keys: [id, releasedPaymentId].filter((key) => key !== null),
    arrays: (['account_id', 'order_id', 'id'] as const).map((column) => all.map((row) => row[column])),
    lists: [
      [changed],
      released,
      rowsOf(charge, ofPayment),
      rowsOf(hold, ofPayment),
      rowsOf(method, ofPayment),
      rowsOf(cents === null ? null : { cents }, ofPayment),
      events,
    ],
  };
}

const rowsOf = <Values extends object, Keys extends object>(values: Values | null, keys: Keys): (Values & Keys)[] =>
  values === null ? [] : [{ ...values, ...keys }];

/**
 * Writes each answer in a transaction of its own: of payments that are few, and with which more ends or changes than their own rows.
 * @param write false where the payment had ended before
 */
export function createSingleAnswerWriter(
  database: Database,
  write: (client: Client, answer: Answer) => Promise<boolean>,
): AnswerWriter {
  const writing = new Set<Promise<unknown>>();
  return {
    add: async (answer) => {
      const written = database.transaction((client) => write(client, answer));
      writing.add(written);
      try {
        const isWritten = await written;
        answersRecorded.announce(() => ({ paymentIds: [answer.payment.id] }));
        return isWritten;
      } finally {
        writing.delete(written);
      }
    },
    close: async () => void (await Promise.allSettled(writing)),
  };
}
