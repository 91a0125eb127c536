import { createBatcher } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement, type Write } from '@app/service-kit/database';
import { pipelined } from '@app/service-kit/pipelined';
import { byNoIndex, byRows } from '@app/service-kit/planner';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import { takesAnswer } from '../../charging/answer-changes.rules.ts';
import { type Answer, type AnswerWriter, chargeWrites } from '../../charging/answer-store.ts';
import { renewsLate } from '../../charging/late-success.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import { checkedUpdateTypes, rowOfUpdate, updateRenewalColumns } from '../../charging/payment-store.ts';
import { writing } from '../../charging/row-writers.ts';
import { factWrites } from '../../ledger/answered-facts.ts';
import { answersRecorded } from '../../points/points.ts';
import { decideRenewal } from './renewal-answer.rules.ts';
import {
  type LockedSubscription,
  lockedTypes,
  outcomeWrites,
  periodRowOf,
  periodTypes,
  type RecordedResult,
} from './renewal-rows.ts';

const answeredTypes = { account_id: 'text', order_id: 'text', id: 'text' } as const;

/**
 * Locks subscriptions, then their payments, in the order of their orders: a claim of renewals locks subscriptions in
 * that order too, so no transaction waits in a circle.
 */
const lockStatement = statement<Locked>(
  'renewals-lock',
  `select ${namesOf(lockedTypes, 's')}, p.id as payment_id, p.status as payment_status, p.releasing
   from (select account_id, order_id, id as payment_id from ${tableOf(answeredTypes, 1)} order by order_id) as w
   cross join lateral (
     select ${namesOf(lockedTypes)} from subscriptions
     where account_id = w.account_id and order_id = w.order_id for no key update) as s
   cross join lateral (
     select id, status, releasing from payments
     where id = w.payment_id and ${byNoIndex('account_id = w.account_id')} for no key update) as p`,
  { ...lockedTypes, payment_id: 'text', payment_status: 'text', releasing: 'bool' },
);

const paymentWrites = writing(
  'payments-answer-renewals',
  checkedUpdateTypes,
  `update payments as p set ${updateRenewalColumns}
   from (select * from ${tableOf(checkedUpdateTypes, 1)}) as c where p.id = c.id and ${byNoIndex('p.account_id = c.account_id')}`,
);

const periodWrites = writing(
  'renewals-record',
  periodTypes,
  `update renewals as r set status = c.status, starts_at = c.starts_at, ends_at = c.ends_at, paid_at = c.paid_at
   from (select * from ${tableOf(periodTypes, 1)}) as c
   where r.account_id = c.account_id and r.subscription_id = c.subscription_id and r.period = c.period`,
);

/**
 * The answers to payments of renewals, and all that follows from them, in one transaction for many: the payment, the charge,
 * the period, the subscription as it stands at that moment (`decideRenewal`), what runs count, and the events. Of two answers to one
 * payment the first one counts.
 */
export function createRenewalAnswerWriter(database: Database, clock: Clock): AnswerWriter {
  return createBatcher<Answer, boolean>({
    span: { service: 'billing', one: 'record renewal', many: 'record renewals', count: 'app.payments' },
    // No caller waits for one renewal, and each batch is a commit and three round trips: one is written at a time, and
    // waits for more. 256 are the calls that an account's run has under way.
    lingerMs: 5,
    maxSize: 256,
    keysOf: ({ payment }) => [payment.id],
    run: together(async (answers) => {
      const { isTaken } = await database.transaction(
        (client) => decideRenewalAnswers(client, answers, clock.nowMs()),
        ({ writes }) => writes,
      );
      answersRecorded.announce(() => ({ paymentIds: answers.map(({ payment }) => payment.id) }));
      return isTaken;
    }),
  });
}

interface Locked extends LockedSubscription {
  readonly payment_id: string;
  readonly payment_status: Payment['status'];
  readonly releasing: boolean;
}

interface DecidedAnswers {
  /** Of each answer; false where the payment had ended before, or is being released, and for a late success that renews nothing. */
  readonly isTaken: readonly boolean[];
  readonly writes: readonly Write[];
}

/** Locks and reads, and decides. */
async function decideRenewalAnswers(
  client: Client,
  answers: readonly Answer[],
  nowMs: number,
): Promise<DecidedAnswers> {
  const [, { rows }] = await pipelined(client, [byRows(), lockStatement(lockValues(answers))]);
  const locked = new Map(rows.map((row) => [row.payment_id, row]));
  const taken = answers.map((answer) => {
    const subscription = locked.get(answer.payment.id);
    if (subscription === undefined) throw new Error(`payment ${answer.payment.id} renews no subscription`);
    const { payment_status: status, releasing } = subscription;
    if (!takesAnswer({ status, releasing }, answer.decision.update)) return undefined;
    if (status === 'declined' && !renewsLate(subscription, answer.payment)) return undefined;
    return { ...answer, result: decideRenewal(answer.payment, answer.decision.update, subscription) };
  });
  const changing = taken.filter((each) => each !== undefined);
  return { isTaken: taken.map((each) => each !== undefined), writes: await writesOf(client, changing, nowMs) };
}

function lockValues(answers: readonly Answer[]): string[] {
  return columnsOf(
    answers.map(({ payment: { id, accountId: account_id, orderId: order_id } }) => ({ id, account_id, order_id })),
    answeredTypes,
  );
}

type Changing = Answer & { readonly result: RecordedResult | undefined };

/** Each statement finds its rows by their keys, as `byRows` has set the planner. */
async function writesOf(client: Client, changing: readonly Changing[], nowMs: number): Promise<readonly Write[]> {
  const results = changing.flatMap(({ result }) => (result === undefined ? [] : [result]));
  return [
    ...paymentWrites(changing.map(updateOf)),
    ...factWrites(changing),
    ...chargeWrites(changing),
    ...periodWrites(results.map(periodRowOf)),
    ...(await outcomeWrites(client, results, nowMs)),
  ];
}

const updateOf = ({ payment: { id, accountId: account_id }, decision: { update } }: Answer) => ({
  ...rowOfUpdate(update),
  ...{ id, account_id },
});
