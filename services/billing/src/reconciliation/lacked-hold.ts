import { DomainError } from '@app/contracts/errors';
import { holdSettled } from '@app/contracts/payments';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { lookUpGivenUp } from '../charging/given-up-attempts.ts';
import { hasEnded, mainPayment, otherPayment } from '../charging/payment.rules.ts';
import type { Attempt, Hold, OrderMoney, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { holdReleasedText } from '../charging/payment-notices.rules.ts';
import { noticeEvent } from '../charging/payment-notices.ts';
import { readMoney } from '../charging/payment-store.ts';
import type { Caller } from '../charging/start-payment.ts';
import { aboutOf, settledData } from '../holds/advance-hold.ts';
import { lookUpAttempt } from './lost-attempts.ts';

/**
 * Looks up the attempt of an order that waits for a hold which this database lacks, as after a restored backup. A hold that the processor has
 * is recorded, to be released as any other. One that it does not have, or that has ended there, is written as lost, so that the order can end; nothing
 * is sent. A payment that succeeds after that goes back: `decideLateSuccess`.
 * @throws DomainError invalid_transition where money was taken for the order, and where it is not known whether it was
 */
export async function endLackedHold(deps: PaymentDeps, caller: Caller, attempt: Attempt): Promise<void> {
  const { accountId, requestId } = caller;
  const { orderId } = attempt;
  const before = await readMoney(deps.database, accountId, orderId);
  await lookUpGivenUp(deps, mainsOf(before), requestId);
  await lookUpAttempt(deps, caller, attempt);
  const money = await readMoney(deps.database, accountId, orderId);
  if (money.hold !== null) return;
  const mains = mainsOf(money);
  if (mains.some((payment) => !hasEnded(payment))) throw new DomainError('invalid_transition', notKnownText(orderId));
  const last = mainPayment(mains);
  const tookNothing = mains.every(
    ({ status, declineReason }) => status === 'declined' && declineReason !== otherPayment,
  );
  if (last === undefined || last.holdTerms === null || !tookNothing) return;
  await writeLost(deps, caller, last, last.holdTerms.upsell);
}

const mainsOf = ({ payments }: OrderMoney): Payment[] => payments.filter(({ step }) => step === 'main');

const notKnownText = (orderId: string): string =>
  `Whether the card of the order "${orderId}" is held is not known yet: the payment processor is queried for it. Release the order again in some minutes.`;

/** A payment that is recorded as holding the money at the same moment writes the order's only hold, or meets this one. $4 the payment's id too: the processor has none */
const lostStatement = statement(
  'holds-lacked',
  `with ended as (
     insert into holds (account_id, order_id, payment_id, reference, amount_cents, currency, capture_before, decide_by, upsell,
       status, decision, lost_because, processor, test, held_at, decided_at, settled_at, due_at)
     select account_id, order_id, id, id, amount_cents, currency, $4, $4, hold_terms -> 'upsell',
       'lost', 'released', 'released', processor, test, $4, $4, $4, $4
     from payments where account_id = $1 and order_id = $2 and id = $3
     on conflict (account_id, order_id) do nothing
     returning order_id
   ), events as (
     ${insertOutboxIfAny('ended', '$5')}
   )
   select from ended`,
);

async function writeLost(
  { database, clock, wakeRelay, logger }: PaymentDeps,
  { accountId, requestId }: Caller,
  payment: Payment,
  upsell: Hold['upsell'],
): Promise<void> {
  const nowMs = clock.nowMs();
  const now = new Date(nowMs);
  const { id, orderId, amountCents, currency, processor, test } = payment;
  const hold: Hold = {
    ...{ orderId, accountId, paymentId: id, reference: id, amountCents, currency, processor, test, upsell },
    ...{ captureBefore: now, decideBy: now, dueAt: now, capturedCents: 0, upsellDeclined: false },
    ...{ status: 'lost', decision: 'released', lostBecause: 'released' },
  };
  const source = { accountId, requestId, nowMs };
  const events = [
    outboxRow(holdSettled, settledData(hold, [payment], nowMs), source),
    noticeEvent(aboutOf(hold), holdReleasedText(aboutOf(hold), 'here'), source),
  ];
  const values = [accountId, orderId, id, now, JSON.stringify(events)];
  const { rowCount } = await database.pool.query(lostStatement(values));
  if (rowCount === 0) return;
  wakeRelay();
  logger.warn({ accountId, orderId }, 'a hold that is neither here nor at the processor was ended by its seller');
}
