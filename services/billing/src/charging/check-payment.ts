import { giveUpPayment } from './give-up-payment.ts';
import { type LookedUp, lookUpPayment, paymentAfter } from './look-up-payment.ts';
import { hasEnded, isAbandoned, isNeverReceived, isOfBuyer, isUnknownForLong, mayResend } from './payment.rules.ts';
import type { OrderMoney, Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { unknownText } from './payment-notices.rules.ts';
import { notifyNotReceived, notifyOfPayment } from './payment-notices.ts';
import { lockUnanswered, readMoney } from './payment-store.ts';
import { type RecordContext, recordAnswer } from './record-answer.ts';
import { sendPayment } from './send-payment.ts';
import { isStillWanted } from './wanted-renewal.ts';

/**
 * Queries the processor for the state of a payment that has not ended. What the processor never got is sent again with
 * its own row and key; a renewal that is not due any more is not, nor a buyer's payment, and what is too late to be sent
 * ends. A payment that its buyer has not confirmed within a day is given up, a renewal within an hour, or where it is not
 * wanted any more.
 * @returns whether the payment has ended now
 */
export async function checkPayment(
  deps: PaymentDeps,
  accountId: string,
  orderId: string,
  id: string,
): Promise<boolean> {
  // Its answer is on its way to this process.
  if (deps.processorCalls.has(id)) return false;
  const money = await readMoney(deps.database, accountId, orderId);
  const payment = money.payments.find((candidate) => candidate.id === id);
  if (payment === undefined || hasEnded(payment)) return payment !== undefined;
  // The release is looked up instead.
  if (payment.releasing) return false;
  const context = contextOf(payment, money);
  const found = await lookUpPayment(deps, payment, context);
  const after = await resolve(deps, payment, context, found);
  const nowMs = deps.clock.nowMs();
  if (isUnknownForLong(after, nowMs) && !hasEnded(after)) await notifyOfUnknown(deps, after);
  // Another release would be refused as well: only a look-up says what the processor refused it for.
  if (found === 'unanswered' && hasEndedRelease(money, payment)) return false;
  if (!isAbandoned(after, nowMs) && !(await isUnwanted(deps, after))) return hasEnded(after);
  return hasEnded((await giveUpPayment(deps, after, null)).payment);
}

/** Whether a release of a renewal has ended. */
const hasEndedRelease = ({ payments }: OrderMoney, { id, step }: Payment): boolean =>
  step === 'renewal' && payments.some((other) => other.releasedPaymentId === id && hasEnded(other));

const isUnwanted = async ({ database, clock }: PaymentDeps, payment: Payment): Promise<boolean> =>
  payment.status === 'requires_action' && !(await isStillWanted(database, payment, clock.now()));

function contextOf(payment: Payment, money: OrderMoney): RecordContext {
  const released = money.payments.find(({ id }) => id === payment.releasedPaymentId);
  return { requestId: null, money, ...(released === undefined ? {} : { released }) };
}

async function resolve(deps: PaymentDeps, payment: Payment, context: RecordContext, found: LookedUp): Promise<Payment> {
  const isSentOnce = isOfBuyer(payment) || payment.status === 'requires_action';
  if (found !== 'not received' || isSentOnce) return paymentAfter(payment, found);
  const nowMs = deps.clock.nowMs();
  if (mayResend(payment, nowMs)) {
    // The first copy may be on its way still, so it has not ended either: it is looked up again.
    return (await mayBeSent(deps, payment)) ? await sendPayment(deps, payment, context) : payment;
  }
  if (!isNeverReceived(payment, nowMs)) return payment;
  const ended = await recordAnswer(deps, payment, { status: 'not_received' }, context);
  if (payment.step === 'renewal') await notifyNotReceived(deps, payment);
  return ended;
}

/**
 * A renewal is compared before the list is read, which may take long, and after it: the list may have shown what ends the
 * subscription, as a refund that the seller made there, and the processor may forget the key meanwhile.
 */
async function mayBeSent({ database, clock, restored }: PaymentDeps, payment: Payment): Promise<boolean> {
  const isWanted = () => isStillWanted(database, payment, clock.now());
  if (payment.step !== 'renewal') return await isWanted();
  if (!(await isWanted()) || !(await restored.mayResendRenewal(payment))) return false;
  return mayResend(payment, clock.nowMs()) && (await isWanted());
}

/** Longer than any payment is without an answer: the seller is notified of it once. */
const unknownKeepDays = 3_650;

/** The lock keeps its answer from being recorded at the same moment. */
async function notifyOfUnknown(deps: PaymentDeps, payment: Payment): Promise<void> {
  const notification = {
    key: `payment unknown ${payment.id}`,
    text: unknownText(payment),
    keepDays: unknownKeepDays,
  };
  await deps.database.transaction(async (client) => {
    if (await lockUnanswered(client, payment)) await notifyOfPayment(deps, payment, notification, client);
  });
  deps.wakeRelay();
}
