import { type Database, statement } from '@app/service-kit/database';
import type { Answered } from './decide-answer.rules.ts';
import { authenticationRequired, givenUp, isWithinConfirmation, released } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';

/** Open disputes of payments of an order `d.order_id`, or of its renewals: its charges wait for their end. $1 account */
export const isDisputed = 'd.account_id = $1 and d.closed_at is null';

/** What a renewal is for: expressions of a statement. */
interface Renewal {
  readonly now: string;
  readonly orderId: string;
  readonly period: string;
  readonly method: string;
}

/**
 * Whether a subscription wants this renewal: it is due for this period on this card, and neither canceled, now or for the
 * period's end, nor paused (`next_charge_at` is null then), nor is a refund of its order requested (one that is made ends the subscription), nor a payment of it disputed.
 * Compared before each call of the processor.
 * A guard of claims, which compare it under the subscription's lock: the rule is written down here alone. $1 account
 */
export const wantsRenewal = ({ now, orderId, period, method }: Renewal): string => `next_charge_at <= ${now}
  and cancel_requested_by is null and period = ${period} - 1 and payment_method is not distinct from ${method}
  and not exists (select from charges as c
    where c.account_id = $1 and c.order_id = ${orderId} and c.step <> 'renewal' and c.refund_due_at is not null)
  and not exists (select from disputes as d where d.order_id = ${orderId} and ${isDisputed})`;

const wantedStatement = statement(
  'payments-renewal-wanted',
  `select from subscriptions where account_id = $1 and order_id = $3
     and ${wantsRenewal({ now: '$2', orderId: '$3', period: '$4::integer', method: '$5' })}`,
);

/**
 * Whether a payment that the processor never got is sent again; other payments than renewals always are. It has no end, so
 * a caller that cancels after this was compared learns that a renewal is under way.
 */
export async function isStillWanted({ pool }: Pick<Database, 'pool'>, payment: Payment, now: Date): Promise<boolean> {
  if (payment.step !== 'renewal' || payment.call !== 'chargeSaved') return true;
  const { accountId, orderId, period, request, createdAt } = payment;
  // A rehearsal is ahead of the clock: its payments are made at its time.
  const at = createdAt > now ? createdAt : now;
  const values = [accountId, at, orderId, period, request.savedMethod];
  return (await pool.query(wantedStatement(values))).rows.length > 0;
}

/** Whether a renewal of the order's subscription was sent to the processor and has no outcome yet: expressions of a statement. */
export const renewalUnderWay = (accountId: string, orderId: string): string => `exists (
  select from payments
  where account_id = ${accountId} and order_id = ${orderId} and step = 'renewal' and status not in ('succeeded', 'declined'))`;

/**
 * What was found of a renewal, as it ends: one that was released is declined as its bank would have declined it without the
 * buyer, unless its subscription did not want it any more, also where it wants it again by now. Then it was no attempt.
 */
export async function renewalAsFound<Found extends Answered | null>(
  { database, clock }: Pick<PaymentDeps, 'database' | 'clock'>,
  payment: Payment,
  found: Found,
): Promise<Found | Answered> {
  if (payment.step !== 'renewal' || found?.status !== 'declined' || found.reason !== released) return found;
  const now = clock.now();
  const isAttempt = !isWithinConfirmation(payment, now.getTime()) && (await isStillWanted(database, payment, now));
  const reason = isAttempt ? authenticationRequired : givenUp;
  const message = isAttempt ? 'The buyer did not confirm it at the bank.' : 'It was not wanted any more.';
  return { status: 'declined', kind: 'soft', reason, message };
}
