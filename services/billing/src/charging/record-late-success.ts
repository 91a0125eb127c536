import { insertOutboxSql } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import type { PaymentRequest } from '../processors/port.ts';
import { decideAnswer } from './decide-answer.rules.ts';
import { columnsFrom, insertPayments, type NewPaymentValues } from './insert-payments.ts';
import { decideLateSuccess, isReopenable, type LateSuccess } from './late-success.rules.ts';
import { reversed } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { SucceededOutcome } from './payment-effects.rules.ts';
import { noticeEvent } from './payment-events.ts';
import { reversalKey } from './payment-key.ts';
import { reversalText } from './payment-notices.rules.ts';
import { readMoney } from './payment-rows.ts';
import { writeDecision } from './write-decision.ts';

/** Another process may change the order in each of these. */
const roundsMax = 4;

interface Late {
  readonly requestId: string | null;
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
  { requestId, atMs }: Late,
): Promise<{ readonly payment: Payment; readonly late: LateSuccess }> {
  for (let round = 0; round < roundsMax; round += 1) {
    const money = await readMoney(deps.database, declined.account_id, declined.order_id);
    const payment = money.payments.find(({ id }) => id === declined.id) ?? declined;
    if (!isReopenable(payment)) return { payment, late: 'reopen' };
    const late = decideLateSuccess(payment, money, await readPaidPeriod(deps, payment));
    if (late === 'wait') return { payment, late };
    if (late === 'reopen') {
      const { update, ...decided } = decideAnswer(payment, outcome, atMs, { money });
      const decision = { ...decided, update: { ...update, from: ['declined'] as const } };
      const written = await writeDecision(deps, payment, decision, requestId).catch(unlessRivalled);
      if (written !== undefined) return { payment: written, late };
    } else {
      const reversing = { ...payment, decline_reason: reversed, processor_reference: outcome.reference };
      if (await beginReversal(deps, payment, outcome)) return { payment: reversing, late };
    }
  }
  return { payment: declined, late: 'wait' };
}

/** Another payment for the same began at the same moment: what becomes of this one is decided anew. */
function unlessRivalled(err: unknown): undefined {
  const { code } = err as { readonly code?: unknown };
  if (code !== uniqueViolation) throw err;
}
/** PostgreSQL's code. */
const uniqueViolation = '23505';

const periodStatement = statement<{ period: number }>(
  'payments-paid-period',
  'select period from subscriptions where account_id = $1 and order_id = $2',
  { period: 'int4' },
);

async function readPaidPeriod({ database }: PaymentDeps, payment: Payment): Promise<number | undefined> {
  if (payment.step !== 'renewal') return undefined;
  return (await database.pool.query(periodStatement([payment.account_id, payment.order_id]))).rows[0]?.period;
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
  ...columnsFrom('p', 'customer_email', 'product_name', 'test'),
};
const insertStatement = statement(
  'payments-begin-reversal',
  insertPayments(reversalValues, 'from payments as p where p.account_id = $1 and p.order_id = $2 and p.id = $3'),
);

/** @returns false where another process was faster */
async function beginReversal(deps: PaymentDeps, payment: Payment, { reference }: SucceededOutcome): Promise<boolean> {
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
  if (begun) wakeRelay();
  return begun;
}
