import { newId } from '@app/contracts/ids';
import type { PaymentPurpose } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import type { PaymentRequest } from '../processors/port.ts';
import { columnsFrom, insertPayments, type NewPaymentValues } from './insert-payments.ts';
import { nextCheckAt } from './payment.rules.ts';
import type { OrderMoney, Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { onlyPaymentOf, paymentColumns, paymentTypes } from './payment-store.ts';

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
     from begun where p.account_id = $2 and p.order_id = $3 and p.id = begun.released_payment_id
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
  { database, clock }: PaymentDeps,
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
