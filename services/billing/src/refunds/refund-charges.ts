import { DomainError } from '@app/contracts/errors';
import { statement } from '@app/service-kit/database';
import { beginPayment } from '../payments/begin-payment.ts';
import type { Charge, OrderMoney } from '../payments/payment.types.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { readMoney } from '../payments/payment-rows.ts';
import { sendPayment } from '../payments/send-payment.ts';
import type { Caller } from '../payments/start-payment.ts';
import { nextRefundStep, type RefundResult } from './refund.rules.ts';

/** From here on the refund goes on by itself, should this process die. */
const requestStatement = statement(
  'charges-request-refund',
  `update charges set refund_due_at = $3
   where account_id = $1 and order_id = $2 and step <> 'renewal' and refunded_cents < amount_cents`,
);
const stopStatement = statement(
  'charges-stop-refund',
  `update charges set refund_due_at = null
   where account_id = $1 and order_id = $2 and refund_due_at is not null`,
);
const goesOnAfterMs = 60_000;

/**
 * Gives back every charge of an order, each whole. Charges that were given back are not given back again, and those of
 * renewals are never given back with the order.
 * @throws DomainError invalid_transition while the order's card is held: what is not charged cannot be given back
 */
export async function refundCharges(deps: PaymentDeps, caller: Caller, orderId: string): Promise<RefundResult> {
  const dueAt = new Date(deps.clock.nowMs() + goesOnAfterMs);
  await deps.database.pool.query(requestStatement([caller.accountId, orderId, dueAt]));
  return await advanceRefund(deps, caller, orderId, true);
}

/** Takes a refund as far as it goes. @param again charges whose refund was refused before are tried again, once */
export async function advanceRefund(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  again: boolean,
): Promise<RefundResult> {
  return await deps.orderMutex.run(caller.accountId, orderId, () => takeRefundSteps(deps, caller, orderId, again));
}

/** An order has two charges at most, each with one try: more rounds mean that other replicas were faster. */
const roundsMax = 12;

async function takeRefundSteps(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  again: boolean,
): Promise<RefundResult> {
  const tried = new Set<string>();
  for (let round = 0; round < roundsMax; round += 1) {
    const money = await readMoney(deps.database, caller.accountId, orderId);
    refuseWhileHeld(money);
    const next = nextRefundStep(money, ({ id }) => again && !tried.has(id));
    if (next.kind === 'end') {
      if (next.result.status === 'failed') await deps.database.pool.query(stopStatement([caller.accountId, orderId]));
      return next.result;
    }
    tried.add(next.charge.id);
    await refundCharge(deps, caller, money, next);
  }
  throw new Error(`the refund of order ${orderId} comes to no end`);
}

function refuseWhileHeld({ hold, orderId }: OrderMoney): void {
  if (hold?.status === 'held' || hold?.status === 'settling') {
    throw new DomainError('invalid_transition', `The card of the order "${orderId}" is held and not charged yet.`);
  }
}

async function refundCharge(
  deps: PaymentDeps,
  { requestId }: Caller,
  money: OrderMoney,
  { charge, tryNo }: { charge: Charge; tryNo: number },
): Promise<void> {
  const { id: subject, amount_cents: amountCents, currency, processor, reference } = charge;
  const begun = await beginPayment(deps, money, {
    ...{ step: 'refund', subject, tryNo, amountCents, currency, processor },
    requestOf: (paymentId) => ({ call: 'refund', request: { paymentId, amountCents, currency, reference } }),
  });
  if (begun !== undefined) await sendPayment(deps, begun, { requestId, charges: money.charges });
}
