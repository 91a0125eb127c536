import { newId } from '@app/contracts/ids';
import type { PaymentPurpose } from '@app/contracts/payments';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import type { PaymentRequest, ReferenceRequest } from '../processors/port.ts';
import type { KnownProcessors } from '../processors/processor-registry.ts';
import { nextCheckAt, otherPayment, reversed } from './payment.rules.ts';
import type { OrderMoney, Payment } from './payment.types.ts';
import {
  columnsFrom,
  insertPayments,
  type NewPaymentValues,
  onlyPaymentOf,
  paymentColumns,
  paymentOf,
  paymentTypes,
  rowOfPayment,
  sentAheadMs,
  sentTypes,
} from './payment-store.ts';

/** Writes the row of an attempt to pay: resolves with `written`, or with the order's attempts that were made before, in their order. */
export type AttemptWriter = Pick<Batcher<Payment, 'written' | readonly Payment[]>, 'add' | 'close'>;

/** The values of an attempt `i` that is written, which has `sentTypes`. $2 the system's time here */
export const incomingValues = {
  ...columnsFrom('i', ...(Object.keys(sentTypes) as (keyof typeof sentTypes)[])),
  sent_ahead_ms: sentAheadMs('$2'),
};

/** Whether a payment `p` keeps every other attempt of its order from being made. */
export const stopsEach = `(p.status <> 'declined' or p.decline_reason = '${otherPayment}')`;

/**
 * What keeps an attempt from being made: a guard that repeats `decideStart`, because another replica may write an attempt until this
 * statement runs.
 */
const stops = `${stopsEach} or p.attempt_no >= i.attempt_no`;

/** The attempts `p` of the order of an attempt `i`. */
export const ofItsOrder = `p.account_id = i.account_id and p.order_id = i.order_id and p.step = 'main'`;

/**
 * Writes each attempt that may be made, and returns for each other one the attempts before it. The indexes keep out a second one
 * that is written at the same time, by this statement or by another replica: it waits for that one, and writes nothing.
 * Subqueries look up order by order; for a join the planner may choose to read the whole table. All replicas write orders
 * in one order, so that none waits for another that waits for it. $2 the system's time here
 */
const startStatement = statement<StartedRow>(
  'payments-start',
  `with incoming as materialized (
     select ${namesOf(sentTypes)} from json_to_recordset($1::json) as i(${recordOf(sentTypes)})
   ), written as (
     ${insertPayments(
       incomingValues,
       `from incoming as i
     where (select true from payments as p where ${ofItsOrder} and (${stops}) limit 1) is null
     order by account_id, order_id, attempt_no`,
     )}
     returning id, account_id
   )
   select i.id, (
     select json_agg(t order by t."attemptNo") from (select ${paymentColumns} from payments as p where ${ofItsOrder}) as t
   ) as tried, null as account, null::integer as version
   from incoming as i where i.id <> all (array(select id from written))
   union all
   select null, null, account_id, processor_version(account_id) from (select distinct account_id from written) as of`,
  { account: 'text', id: 'text', tried: 'json', version: 'int4' },
);

/** An attempt that may not be made, or an account whose attempts were written, with the version of its processor's settings. */
type StartedRow =
  | { readonly id: string; readonly tried: Payment[] | null; readonly account: null; readonly version: null }
  | { readonly id: null; readonly tried: null; readonly account: string; readonly version: number | null };

/**
 * @param processors what is written goes to the account at the processor whose keys are stored then: another one can be stored only
 * while no payment is open, and a payment is open once it is written
 */
export function createAttemptWriter(database: Database, processors: Pick<KnownProcessors, 'follow'>): AttemptWriter {
  return createBatcher<Payment, 'written' | readonly Payment[]>({
    span: { service: 'billing', one: 'write payment', many: 'write payments', count: 'app.payments' },
    concurrency: 2,
    keysOf: ({ accountId, orderId }) => [`${accountId}/${orderId}`],
    run: together(async (payments) => {
      const { rows } = await database.pool.query(
        startStatement([JSON.stringify(payments.map(rowOfPayment)), new Date(Date.now())]),
      );
      for (const { account, version } of rows) {
        if (account !== null && version !== null) await processors.follow(account, version);
      }
      const stopped = new Map(rows.map(({ id, tried }) => [id, (tried ?? []).map(paymentOf)]));
      return payments.map(({ id }) => stopped.get(id) ?? 'written');
    }),
  });
}

/** A payment that follows from others of its order: it is about the same buyer and product as they are. */
export interface NextPayment {
  readonly step: PaymentPurpose;
  /** The charge that a refund gives back. */
  readonly chargeId?: string;
  /** The payment that a release ends. */
  readonly releasedPaymentId?: string;
  readonly attemptNo: number;
  readonly amountCents: number;
  readonly currency: string;
  /** Where the hold, charge or card is. */
  readonly processor: string;
  readonly requestOf: (paymentId: string) => PaymentRequest;
  /** It is written only while the hold's decision stands, which it follows from: a release for one that was released, no other payment for such a one. */
  readonly followsHold?: true;
  /** The payment's id, where a repeated command must find it; a new one unless given. */
  readonly id?: string;
}

const nextValues: NewPaymentValues = {
  id: '$1',
  step: '$4',
  charge_id: '$5',
  released_payment_id: '$6',
  attempt_no: '$7',
  call: '$8',
  request: '$9',
  amount_cents: '$10',
  currency: '$11',
  processor: '$12',
  created_at: '$13',
  sent_at: '$13',
  next_check_at: '$14',
  ...columnsFrom('p', 'account_id', 'order_id', 'customer_email', 'email_key', 'product_name', 'test'),
};

/**
 * Nothing is written when the order's money changed since it was read, or when another payment is open or was made for the step;
 * for payments at the same time unique indexes see to that.
 */
const insertIf = (condition: string): string => `
   ${insertPayments(
     nextValues,
     `from payments as p
     where account_id = $2 and order_id = $3 and step in ('main', 'renewal', 'card')
       and (select count(*) from payments where account_id = $2 and order_id = $3) = $15 and ${condition}
     order by step = 'main' desc, attempt_no desc limit 1`,
   )}
   returning ${paymentColumns}`;

const beginStatement = statement<Payment>('payments-begin', insertIf('true'), paymentTypes);

/** The number of the attempt is unique for the charge: what it was decided on has not changed since. */
const beginRefundStatement = statement<Payment>(
  'payments-begin-refund',
  insertIf(
    'exists (select from charges where account_id = $2 and id = $5 and $10 <= amount_cents - refunded_cents - lost_cents)',
  ),
  paymentTypes,
);

/**
 * A release is written only beside a payment that waits for its buyer still, and marks it: once this has committed, no
 * look-up records that the payment succeeded. A process that records that at the same moment has the lock first or waits for it.
 */
const beginReleaseStatement = statement<Payment>(
  'payments-begin-release',
  `with waiting as materialized (
     select id from payments
     where account_id = $2 and order_id = $3 and id = $6 and status = 'requires_action' and not releasing
     for no key update
   ), begun as (
     ${insertIf('exists (select from waiting)')}
   ), marked as (
     update payments as p set releasing = true
     from begun where p.account_id = $2 and p.order_id = $3 and p.id = begun."releasedPaymentId"
   )
   select * from begun`,
  paymentTypes,
);

/** A process that changes the decision at the same moment has the lock first, or waits until this payment is there to be read. */
const beginOfHoldStatement = statement<Payment>(
  'payments-begin-of-hold',
  `with decided as materialized (
     select from holds
     where account_id = $2 and order_id = $3 and status = 'settling' and (decision = 'released') = ($4 = 'release')
     for share
   ) ${insertIf('exists (select from decided)')}`,
  paymentTypes,
);

const statements: Partial<Record<PaymentPurpose, typeof beginStatement>> = {
  release: beginReleaseStatement,
  refund: beginRefundStatement,
};

/**
 * Writes the row of a payment that is sent next: of a release, if its payment waits for the buyer still; of a refund, if its
 * charge has so much left; of what follows a hold, if its decision stands.
 * @param money as it was read when the payment was decided on
 * @returns undefined when another process was faster
 */
export async function beginPayment(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { accountId, orderId, payments }: OrderMoney,
  next: NextPayment,
): Promise<Payment | undefined> {
  const nowMs = clock.nowMs();
  const { id = newId('payment', nowMs) } = next;
  const { call, request } = next.requestOf(id);
  const about = [
    id,
    accountId,
    orderId,
    next.step,
    next.chargeId ?? null,
    next.releasedPaymentId ?? null,
    next.attemptNo,
  ];
  const money = [next.amountCents, next.currency, next.processor];
  const times = [new Date(nowMs), nextCheckAt(0, nowMs)];
  const begin = next.followsHold ? beginOfHoldStatement : (statements[next.step] ?? beginStatement);
  return onlyPaymentOf(
    await database.pool.query(begin([...about, call, JSON.stringify(request), ...money, ...times, payments.length])),
  );
}

/** It stays declined, and what the processor has of it is what goes back. */
const reverseStatement = statement(
  'payments-reverse',
  `update payments set decline_reason = '${reversed}', decline_message = $4, processor_reference = $5
   where account_id = $1 and order_id = $2 and id = $3 and status = 'declined' and decline_reason = $6`,
);

const reversalValues: NewPaymentValues = {
  id: '$4',
  step: `'reversal'`,
  charge_id: 'p.id',
  attempt_no: '1',
  call: '$5',
  request: '$6',
  created_at: '$7',
  sent_at: '$7',
  // It is looked up at once, not found, and sent.
  next_check_at: '$7',
  ...columnsFrom('p', 'account_id', 'order_id', 'amount_cents', 'currency', 'processor'),
  ...columnsFrom('p', 'customer_email', 'email_key', 'product_name', 'test'),
};
const reversalStatement = statement(
  'payments-begin-reversal',
  insertPayments(reversalValues, 'from payments as p where p.account_id = $1 and p.order_id = $2 and p.id = $3'),
);

/** The payment that gives back one that succeeded too late, as it is sent. */
interface Reversal {
  readonly id: string;
  readonly call: PaymentRequest['call'];
  readonly request: ReferenceRequest;
  /** What the late one says from then on. */
  readonly text: string;
  readonly at: Date;
}

/** @returns false where the late one is not as it was read any more: nothing is written then */
export async function insertReversal(
  client: Pick<Client, 'query'>,
  { accountId, orderId, id, declineReason }: Payment,
  { id: reversalId, call, request, text, at }: Reversal,
): Promise<boolean> {
  const values = [accountId, orderId, id, text, request.reference, declineReason];
  if ((await client.query(reverseStatement(values))).rowCount !== 1) return false;
  await client.query(reversalStatement([accountId, orderId, id, reversalId, call, JSON.stringify(request), at]));
  return true;
}
