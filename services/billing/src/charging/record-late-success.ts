import { insertOutboxSql } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import type { PaymentRequest } from '../processors/port.ts';
import { type Decision, decideAnswer } from './decide-answer.rules.ts';
import { columnsFrom, insertPayments, type NewPaymentValues } from './insert-payments.ts';
import { keepSuccess } from './keep-success.ts';
import { decideLateSuccess, isReopenable, type LateRenewed, type LateSuccess } from './late-success.rules.ts';
import { reversed } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { SucceededOutcome } from './payment-effects.rules.ts';
import { noticeEvent } from './payment-events.ts';
import { reversalKey } from './payment-key.ts';
import { reversalText } from './payment-notices.rules.ts';
import { readMoney } from './payment-store.ts';
import { type WrittenFor, writeDecision } from './write-decision.ts';

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
    const money = await readMoney(deps.database, declined.account_id, declined.order_id);
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
  return (await database.pool.query(renewedStatement([payment.account_id, payment.order_id]))).rows[0];
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
const insertStatement = statement(
  'payments-begin-reversal',
  insertPayments(reversalValues, 'from payments as p where p.account_id = $1 and p.order_id = $2 and p.id = $3'),
);

/** @returns undefined where another process was faster */
async function beginReversal(
  deps: PaymentDeps,
  payment: Payment,
  { reference }: SucceededOutcome,
): Promise<Payment | undefined> {
  const { database, clock, wakeRelay } = deps;
  const { account_id, order_id, id, amount_cents: amountCents, currency } = payment;
  const nowMs = clock.nowMs();
  const reversalId = reversalKey(payment);
  const call: PaymentRequest['call'] = payment.call === 'authorize' ? 'release' : 'refund';
  const request = { paymentId: reversalId, reference, amountCents, currency };
  const begun = await database.transaction(async (client: Client) => {
    const text = reversalText(payment);
    const changed = await client.query(
      reverseStatement([account_id, order_id, id, text, reference, payment.decline_reason]),
    );
    if (changed.rowCount !== 1) return false;
    const now = new Date(nowMs);
    await client.query(insertStatement([account_id, order_id, id, reversalId, call, JSON.stringify(request), now]));
    const notice = noticeEvent(payment, text, { accountId: account_id, requestId: null, nowMs });
    await client.query(insertOutboxSql, [JSON.stringify([notice])]);
    return true;
  });
  if (!begun) return undefined;
  wakeRelay();
  return { ...payment, decline_reason: reversed, processor_reference: reference };
}
