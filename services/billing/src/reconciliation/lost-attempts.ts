import { idTimeMs } from '@app/contracts/ids';
import type { PaymentOutcome } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { incomingValues, ofItsOrder, stopsEach } from '../charging/attempt-store.ts';
import { lookUpAtProcessor, lookUpPayment, paymentAfter } from '../charging/look-up-payment.ts';
import { newAttempt } from '../charging/new-attempt.ts';
import type { Attempt, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { insertPayments, paymentColumns, paymentOf, rowOfPayment, sentTypes } from '../charging/payment-store.ts';
import { recordAnswer } from '../charging/record-answer.ts';
import { logFieldsOf } from '../charging/send-payment.ts';
import { type Caller, makeAttempt } from '../charging/start-payment.ts';

/**
 * Whether a database that a backup has replaced may have sent a payment of which there was no row here: its request began longer ago
 * than a sending takes.
 */
export const mayHaveSent = ({ clock, processorCalls }: PaymentDeps, begunMs: number): boolean =>
  clock.nowMs() - begunMs >= processorCalls.deadlineMs;

/**
 * Looks up an attempt of an order at the processor and records it, where this database lacks it: one that a backup has replaced may have
 * sent it. Nothing is sent. What the processor does not have is declined.
 * @returns the outcome of the order's attempt that counts, as `startPayment`
 */
export async function lookUpAttempt(deps: PaymentDeps, caller: Caller, attempt: Attempt): Promise<PaymentOutcome> {
  const { accountId, requestId } = caller;
  // It takes nothing, so it goes on when its caller has given up: the next one would look up as much.
  return await makeAttempt(deps, { accountId, requestId }, attempt, {
    row: () => attemptToLookUp(deps, accountId, attempt),
    call: async (written) => paymentAfter(written, await lookUpPayment(deps, written, { requestId })),
  });
}

/** Sent when it began, if it was; it may be an earlier one than the request says: of this order, and before now. Its card is not known. */
async function attemptToLookUp(deps: PaymentDeps, accountId: string, attempt: Attempt): Promise<Payment> {
  const { orderId, begunAt } = attempt;
  const payment = await newAttempt(deps, accountId, { ...attempt, paymentMethod: '' }, idTimeMs(orderId));
  return { ...payment, sentAt: new Date(begunAt) };
}

/**
 * Looks up the attempts of the order before this one that have no row here: a database that a backup has replaced may have sent
 * them. What the processor has is recorded. While it cannot be reached the attempt is open, which keeps the next one from being
 * charged. What it never got leaves no row: it may have been an attempt of another order of the checkout.
 * @param before the order's main payments
 * @returns the order's attempts where one of them keeps out a row of what was found: the next one waits for that one's end, or it
 * could be charged beside what has no row
 */
export async function lookUpLostAttempts(
  deps: PaymentDeps,
  accountId: string,
  attempt: Attempt,
  before: readonly Payment[],
  requestId: string | null,
): Promise<readonly Payment[] | undefined> {
  const known = new Set(before.map(({ attemptNo }) => attemptNo));
  for (let attemptNo = 1; attemptNo < attempt.attemptNo; attemptNo += 1) {
    if (known.has(attemptNo)) continue;
    const tried = await lookUpLost(deps, accountId, { ...attempt, attemptNo }, requestId);
    if (tried?.some((payment) => payment.attemptNo === attemptNo) === false) return tried;
  }
  return undefined;
}

/** @returns the order's attempts where the row could not be written */
async function lookUpLost(
  deps: PaymentDeps,
  accountId: string,
  attempt: Attempt,
  requestId: string | null,
): Promise<readonly Payment[] | undefined> {
  const payment = await attemptToLookUp(deps, accountId, attempt);
  const found = await lookUpAtProcessor(deps, payment).catch((err: unknown) => {
    deps.logger.warn(
      { err, ...logFieldsOf(payment) },
      'an attempt that has no row could not be looked up; it is tried again',
    );
    return undefined;
  });
  if (found === null) return undefined;
  const tried = await writeLost(deps, payment);
  if (tried !== 'written') return tried;
  if (found !== undefined) await recordAnswer(deps, payment, found, { requestId, seenBy: 'look-up' });
  return undefined;
}

/**
 * An earlier attempt comes after later ones that were declined, and beside no other. One that is written at the same moment keeps it out
 * by the indexes of payments. $2 the system's time here
 */
const writeStatement = statement<{ readonly tried: Payment[] | null }>(
  'lost-attempts-write',
  `with i as materialized (
     select ${namesOf(sentTypes)} from json_to_recordset($1::json) as i(${recordOf(sentTypes)})
   ), written as (
     ${insertPayments(
       incomingValues,
       `from i where not exists (select from payments as p where ${ofItsOrder} and ${stopsEach})`,
     )}
     returning id
   )
   select (
     select json_agg(t order by t."attemptNo") from (select ${paymentColumns} from payments as p where ${ofItsOrder}) as t
   ) as tried
   from i where not exists (select from written)`,
  { tried: 'json' },
);

/** @returns the order's attempts, as they were before, where one of them keeps the row out */
async function writeLost({ database }: PaymentDeps, payment: Payment): Promise<'written' | readonly Payment[]> {
  const values = [JSON.stringify([rowOfPayment(payment)]), new Date(Date.now())];
  const [stopped] = (await database.pool.query(writeStatement(values))).rows;
  return stopped === undefined ? 'written' : (stopped.tried ?? []).map(paymentOf);
}
