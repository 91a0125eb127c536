import { insertOutboxSql } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import type { PaymentRequest } from '../processors/port.ts';
import { insertReversal } from './attempt-store.ts';
import { type Decision, decideAnswer } from './decide-answer.rules.ts';
import { decideLateSuccess, isReopenable, type LateRenewed, type LateSuccess } from './late-success.rules.ts';
import { reversed } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { SucceededOutcome } from './payment-effects.rules.ts';
import { reversalKey } from './payment-key.ts';
import { reversalText } from './payment-notices.rules.ts';
import { noticeEvent } from './payment-notices.ts';
import { readMoney } from './payment-store.ts';
import { keepSuccess, type WrittenFor, writeDecision } from './write-decision.ts';

/** Another process may change the order in each of these. */
const roundsMax = 4;

interface Late extends WrittenFor {
  /** When it is recorded, in milliseconds. */
  readonly atMs: number;
}

/**
 * Records that a payment which was declined here succeeded at the processor, whoever found it: a late answer, a look-up, an event
 * or a list. `decideLateSuccess` decides what becomes of it. What is to go back is a payment of its own, committed with the change: the
 * payments loop sends it within a second or two, whatever becomes of this process.
 * @returns the payment as it stands then, and what was decided; `wait` where it is to be recorded again later
 */
export async function recordLateSuccess(
  deps: PaymentDeps,
  declined: Payment,
  outcome: SucceededOutcome,
  { atMs, ...writtenFor }: Late,
): Promise<{ readonly payment: Payment; readonly late: LateSuccess }> {
  await keepSuccess(deps, declined, outcome, writtenFor);
  for (let round = 0; round < roundsMax; round += 1) {
    const money = await readMoney(deps.database, declined.accountId, declined.orderId);
    const payment = money.payments.find(({ id }) => id === declined.id) ?? declined;
    if (!isReopenable(payment)) return { payment, late: 'reopen' };
    const late = decideLateSuccess(payment, outcome.reference, money, await readRenewed(deps, payment));
    if (late === 'wait' || late === 'recorded') return { payment, late };
    const decision = fromDeclined(decideAnswer(payment, outcome, atMs, { money }));
    const written =
      late === 'reopen'
        ? await writeDecision(deps, payment, decision, writtenFor).catch(unlessRivalled)
        : await beginReversal(deps, payment, outcome);
    if (written !== undefined) return { payment: written, late };
  }
  return { payment: declined, late: 'wait' };
}

/** The decision on a payment that was declined. */
export const fromDeclined = ({ update, ...decided }: Decision): Decision => ({
  ...decided,
  update: { ...update, from: ['declined'] },
});

/** Another payment for the same began at the same moment: what becomes of this one is decided anew. */
export function unlessRivalled(err: unknown): undefined {
  const { code } = err as { readonly code?: unknown };
  if (code !== uniqueViolation) throw err;
}
/** PostgreSQL's code. */
const uniqueViolation = '23505';

const renewedStatement = statement<LateRenewed>(
  'payments-late-renewed',
  'select status, period, cancel_requested_by from subscriptions where account_id = $1 and order_id = $2',
  { status: 'text', period: 'int4', cancel_requested_by: 'text' },
);

/** The writer of renewals compares it once more, under the subscription's lock. */
async function readRenewed({ database }: PaymentDeps, payment: Payment): Promise<LateRenewed | undefined> {
  if (payment.step !== 'renewal') return undefined;
  return (await database.pool.query(renewedStatement([payment.accountId, payment.orderId]))).rows[0];
}

/** @returns undefined where another process was faster */
async function beginReversal(
  deps: PaymentDeps,
  payment: Payment,
  { reference }: SucceededOutcome,
): Promise<Payment | undefined> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, amountCents, currency } = payment;
  const nowMs = clock.nowMs();
  const reversalId = reversalKey(payment);
  const call: PaymentRequest['call'] = payment.call === 'authorize' ? 'release' : 'refund';
  const request = { paymentId: reversalId, reference, amountCents, currency };
  const begun = await database.transaction(async (client: Client) => {
    const text = reversalText(payment);
    const to = { id: reversalId, call, request, text, at: new Date(nowMs) };
    if (!(await insertReversal(client, payment, to))) return false;
    const notice = noticeEvent(payment, text, { accountId, requestId: null, nowMs });
    await client.query(insertOutboxSql, [JSON.stringify([notice])]);
    return true;
  });
  if (!begun) return undefined;
  wakeRelay();
  return { ...payment, declineReason: reversed, processorReference: reference };
}
