import { type OutboxRow, outboxTypes } from '@app/messaging/outbox';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import { type Client, type ColumnsOf, type Database, statement, type Write } from '@app/service-kit/database';
import { byNoIndex, isOneRow, sameKey } from '@app/service-kit/planner';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import { factWrites } from '../ledger/answered-facts.ts';
import type { Seen } from '../ledger/write-facts.ts';
import { answersRecorded } from '../points/points.ts';
import { changesOf, eventsOfChanged, type LockedPayment, type PaymentChange } from './answer-changes.rules.ts';
import type { DecidedEvent, Decision } from './decide-answer.rules.ts';
import type { Payment } from './payment.types.ts';
import type { Effects } from './payment-effects.rules.ts';
import { checkedUpdateTypes, rowOfUpdate, updateColumns } from './payment-store.ts';
import { inserting, writing } from './row-writers.ts';

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

/**
 * Writes processors' answers and all that follows from them, in one transaction for those that wait together. Of two answers to one
 * payment, or one to it and one that ends it, the second finds what the first one wrote: those of one order are never written together.
 */
export function createOrderAnswerWriter(database: Database): AnswerWriter {
  return createBatcher<Answer, boolean>({
    span: { service: 'billing', one: 'record payment', many: 'record payments', count: 'app.payments' },
    concurrency: 2,
    keysOf: ({ payment: { accountId, orderId } }) => [`${accountId}/${orderId}`],
    run: together(async (answers) => {
      const decided = await database.transaction((client) => decideAnswers(client, answers), writesOf);
      answersRecorded.announce(() => ({ paymentIds: answers.map(({ payment }) => payment.id) }));
      return decided.map(isTaken);
    }),
  });
}

/** An answer that its payment takes, with the payments that it changes. */
type TakenAnswer = Answer & { readonly changes: readonly PaymentChange[] };

const isTaken = ({ changes }: TakenAnswer): boolean => changes.length > 0;

/** Locks and reads, and decides. @returns all answers; one that is not taken changes nothing */
async function decideAnswers(client: Client, answers: readonly Answer[]): Promise<TakenAnswer[]> {
  const locked = await lockPayments(client, answers);
  return answers.map((answer) => ({ ...answer, changes: changesOf(answer, locked) }));
}

function writesOf(decided: readonly TakenAnswer[]): readonly Write[] {
  const taken = decided.filter(isTaken);
  return [
    ...paymentWrites(taken.flatMap(updatesOf)),
    ...factWrites(taken),
    ...chargeWrites(taken),
    ...holdWrites(taken.flatMap(holdsOf)),
    ...methodWrites(taken.flatMap(methodsOf)),
    ...capturedWrites(taken.flatMap(capturedOf)),
    ...eventWrites(taken.flatMap(eventsOf)),
  ];
}

const keyTypes = { account_id: 'text', order_id: 'text' } as const;
const orderOf = ({ accountId: account_id, orderId: order_id }: Payment) => ({ account_id, order_id });

const lockTypes = { ...keyTypes, id: 'text' } as const;
// The look-up is lateral: of an array the planner expects ten rows, and would read a young table whole for them.
const lockStatement = statement<LockedPayment>(
  'payments-lock-answered',
  `select p.* from (select * from ${tableOf(lockTypes, 1)} order by id) as w
   cross join lateral (
     select id, status, releasing, sent_at as "sentAt" from payments
     where account_id = w.account_id and order_id = w.order_id and id = w.id for no key update) as p`,
  { id: 'text', status: 'text', releasing: 'bool', sentAt: 'timestamptz' },
);

/**
 * Locks the payments that were answered, and those that releases are about: in the order of their ids, over all replicas, so that none
 * waits for another that waits for it.
 */
async function lockPayments(client: Client, answers: readonly Answer[]): Promise<ReadonlyMap<string, LockedPayment>> {
  const wanted = answers.flatMap(({ payment, decision }) =>
    [payment.id, decision.released === null ? null : payment.releasedPaymentId]
      .filter((id) => id !== null)
      // A release is a payment of the same order.
      .map((id) => ({ ...orderOf(payment), id })),
  );
  const { rows } = await client.query(lockStatement(columnsOf(wanted, lockTypes)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** A row of what follows from a payment, if anything does. */
const rowsOf = <Values extends object, Keys extends object>(values: Values | null, keys: Keys): (Values & Keys)[] =>
  values === null ? [] : [{ ...values, ...keys }];
const moneyTypes = { ...keyTypes, currency: 'text', processor: 'text', test: 'bool' } as const;
const moneyOf = (payment: Payment) => {
  const { currency, processor, test } = payment;
  return { ...orderOf(payment), currency, processor, test };
};

/** A key once more: with `isOneRow` a young table is not read whole for an array either. */
const again = <Key>(key: Key) => ({ [sameKey]: key });

const updateTypes = { ...checkedUpdateTypes, [sameKey]: 'text' } as const;
// What changes is not being released: the end of its release ends that, and nothing else changes it before.
const paymentWrites = writing(
  'payments-answer',
  updateTypes,
  `update payments as p set ${updateColumns}, releasing = false
   from (select * from ${tableOf(updateTypes, 1)}) as c
   where p.id = c.id and ${byNoIndex('p.account_id = c.account_id')} and ${isOneRow('c')}`,
);
const updatesOf = ({ payment, changes }: TakenAnswer) =>
  changes.map(({ id, update }) => ({ ...rowOfUpdate(update), id, account_id: payment.accountId, ...again(id) }));

/** The columns of what follows from a payment. */
type Effect<Name extends keyof Effects> = ColumnsOf<NonNullable<Effects[Name]>>;

const chargeTypes: Effect<'charge'> = { step: 'text', amount_cents: 'int8', reference: 'text' };
const chargeInserts = inserting('charges-insert-answered', 'charges', {
  id: 'text',
  ...moneyTypes,
  ...chargeTypes,
  charged_at: 'timestamptz',
});
const chargesOf = ({ payment, decision: { update, effects } }: Answer) =>
  rowsOf(effects.charge, { ...moneyOf(payment), id: payment.id, charged_at: update.finishedAt });

/** Writes the charges of payments that succeeded. */
export const chargeWrites = (answers: readonly Answer[]): readonly Write[] => chargeInserts(answers.flatMap(chargesOf));

const holdTypes: Effect<'hold'> = {
  reference: 'text',
  amount_cents: 'int8',
  capture_before: 'timestamptz',
  decide_by: 'timestamptz',
  upsell: 'json',
  due_at: 'timestamptz',
};
const holdWrites = inserting('holds-insert-answered', 'holds', {
  payment_id: 'text',
  ...moneyTypes,
  ...holdTypes,
  status: 'text',
  held_at: 'timestamptz',
});
const holdsOf = ({ payment, decision: { update, effects } }: Answer) =>
  rowsOf(effects.hold, { ...moneyOf(payment), payment_id: payment.id, status: 'held', held_at: update.finishedAt });

const methodTypes: Effect<'method'> = { method: 'text', last_four: 'text', wallet: 'text' };
/** Cards, for charges without the buyer. */
const methodWrites = inserting(
  'payment-methods-save-answered',
  'payment_methods',
  { ...keyTypes, customer_email: 'text', processor: 'text', ...methodTypes, saved_at: 'timestamptz' },
  ` on conflict (account_id, order_id) do update
   set method = excluded.method, processor = excluded.processor, last_four = excluded.last_four, wallet = excluded.wallet`,
);
const methodsOf = ({ payment, decision: { update, effects } }: Answer) => {
  const { processor, customerEmail: customer_email } = payment;
  return rowsOf(effects.method, { ...orderOf(payment), customer_email, processor, saved_at: update.finishedAt });
};

const capturedTypes = { ...keyTypes, cents: 'int8', [sameKey]: 'text' } as const;
/** Money that was taken of holds. */
const capturedWrites = writing(
  'holds-count-captured',
  capturedTypes,
  `update holds as h set captured_cents = h.captured_cents + c.cents
   from (select * from ${tableOf(capturedTypes, 1)}) as c
   where h.account_id = c.account_id and h.order_id = c.order_id and ${isOneRow('c', 'order_id')}`,
);
const capturedOf = ({ payment, decision: { effects } }: Answer) => {
  const captured = effects.captured_cents === null ? null : { cents: effects.captured_cents };
  return rowsOf(captured, { ...orderOf(payment), ...again(payment.orderId) });
};

/** Writes events in the transaction of what they say. */
export const eventWrites = inserting('outbox-insert-answered', 'outbox', outboxTypes);
const eventsOf = ({ events, changes }: TakenAnswer) => eventsOfChanged(events, changes);

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
