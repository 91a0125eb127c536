import { statement } from '@app/service-kit/database';
import { nextCheckAt } from '../../charging/payment.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import {
  columnsFrom,
  insertPayments,
  type NewPaymentValues,
  onlyPaymentOf,
  paymentColumns,
  paymentTypes,
} from '../../charging/payment-store.ts';
import { recordAnswer } from '../../charging/record-answer.ts';
import { renewalAsFound } from '../../charging/wanted-renewal.ts';
import type { SavedMethodRequest } from '../../processors/port.ts';
import { type PeriodAnchor, periodEnd, type RenewedSubscription } from '../../subscriptions/renewals/renewal.rules.ts';
import { renewalKey } from '../../subscriptions/renewals/renewal-key.ts';
import type { ListedFact } from './books.rules.ts';
import type { Listed } from './reading.ts';

/** Failed attempts, attempts that a new card had free, and some that never reached the processor. */
const attemptsMax = 60;

const subscriptionStatement = statement<Renewed>(
  'unmatched-payments-subscription',
  `select id, order_id, billing_interval, anchor, anchor_period, period, current_period_end, payment_method,
     customer_email
   from subscriptions
   where account_id = $1 and order_id = $2 and not test and payment_method is not null`,
  {
    anchor: 'timestamptz',
    anchor_period: 'int4',
    billing_interval: 'text',
    current_period_end: 'timestamptz',
    customer_email: 'text',
    id: 'text',
    order_id: 'text',
    payment_method: 'text',
    period: 'int4',
  },
);

interface Renewed extends PeriodAnchor, Pick<RenewedSubscription, 'period' | 'current_period_end'> {
  readonly id: string;
  readonly order_id: string;
  readonly payment_method: string;
  readonly customer_email: string;
}

const foundValues: NewPaymentValues = {
  id: '$4',
  step: `'renewal'`,
  period: '$3',
  attempt_no: '$5',
  call: `'chargeSaved'`,
  request: '$6',
  amount_cents: '$7',
  currency: '$8',
  processor: '$9',
  test: 'false',
  created_at: '$10',
  sent_at: '$10',
  next_check_at: '$11',
  ...columnsFrom('due', 'account_id', 'order_id', 'customer_email', 'email_key', 'product_name'),
};

/**
 * A renewal as it was claimed before: of no run of this database. It is `sent`, so that it keeps every other payment of the
 * subscription out until its end is recorded.
 */
const claimStatement = statement<Payment>(
  'unmatched-payments-claim',
  `with due as (
     select id, account_id, order_id, customer_email, email_key, product_name from subscriptions
     where account_id = $1 and id = $2 and period = $3::integer - 1 for no key update
   ), sent as (
     ${insertPayments(foundValues, 'from due')}
     returning ${paymentColumns}
   ), claimed as (
     insert into renewals (account_id, subscription_id, period, starts_at, ends_at, amount_cents, currency, status, run_id,
       payment_id)
     select $1, $2, $3, $12, $13, $7, $8, 'processing', '', $4 from sent
     on conflict (account_id, subscription_id, period) do update set amount_cents = excluded.amount_cents,
       currency = excluded.currency, status = excluded.status, run_id = excluded.run_id, payment_id = excluded.payment_id
   )
   select * from sent`,
  paymentTypes,
);

/**
 * Records a renewal that the processor charged and this database does not know: its key follows from a subscription here,
 * from the period after its last one and from an attempt.
 * @returns false where the key follows from nothing here
 */
export async function recordFoundRenewal(deps: PaymentDeps, listed: Listed, record: ListedFact): Promise<boolean> {
  const { accountId } = listed.call;
  if (record.kind !== 'charge' || record.orderId === null || record.paymentId === null) return false;
  const values = [accountId, record.orderId];
  const [subscription] = (await deps.database.pool.query(subscriptionStatement(values))).rows;
  if (subscription === undefined) return false;
  const period = subscription.period + 1;
  const attemptNo = tryOf(subscription, period, record.paymentId);
  if (attemptNo === undefined) return false;
  const { paymentId, orderId } = record;
  const payment = await claim(deps, listed, { record, paymentId, orderId, subscription, period, attemptNo });
  if (payment === undefined) return false;
  await recordEnd(deps, listed, payment, record);
  return true;
}

function tryOf(subscription: Renewed, period: number, paymentId: string): number | undefined {
  for (let attemptNo = 1; attemptNo <= attemptsMax; attemptNo += 1) {
    if (renewalKey(subscription, period, attemptNo) === paymentId) return attemptNo;
  }
  return undefined;
}

interface Found {
  readonly record: ListedFact;
  readonly paymentId: string;
  readonly orderId: string;
  readonly subscription: Renewed;
  readonly period: number;
  readonly attemptNo: number;
}

async function claim(
  { database, clock }: PaymentDeps,
  { call: { accountId }, processor }: Listed,
  { record, paymentId, orderId, subscription, period, attemptNo }: Found,
): Promise<Payment | undefined> {
  const { amountCents, currency, recordedAt, reference } = record;
  const { payment_method: savedMethod, customer_email: customerEmail } = subscription;
  // Where its buyer comes back to is lost.
  const confirmation = record.status === 'requires_action' ? { confirmation: { returnUrl: null } } : {};
  const what = { paymentId, amountCents, currency, savedMethod, customerEmail, orderId, reference };
  const request: SavedMethodRequest = { ...what, ...confirmation };
  const about = [
    accountId,
    subscription.id,
    period,
    paymentId,
    attemptNo,
    JSON.stringify(request),
    amountCents,
    currency,
  ];
  const times = [recordedAt, nextCheckAt(0, clock.nowMs()), subscription.current_period_end];
  const endsAt = periodEnd(subscription, period);
  return onlyPaymentOf(await database.pool.query(claimStatement([...about, processor.name, ...times, endsAt])));
}

/** As the processor says that it stands, at the time at which it was charged there. The list has it as a success, or as one that waits. */
async function recordEnd(
  deps: PaymentDeps,
  { processor, call }: Listed,
  payment: Payment,
  record: ListedFact,
): Promise<void> {
  const chargedMs = record.recordedAt.getTime();
  const found = await deps.processorCalls.make((signal) => processor.lookUp(payment, { ...call, signal }));
  const outcome = await renewalAsFound(deps, payment, found);
  // A look-up by the card of an older backup may miss it; sent again, it would be charged again.
  const { reference, status } = record;
  const listed =
    status === 'succeeded'
      ? ({ status, reference } as const)
      : ({ status: 'requires_action', reference, url: null } as const);
  await recordAnswer(deps, payment, outcome ?? listed, { requestId: null, seenBy: 'look-up' }, chargedMs);
}
