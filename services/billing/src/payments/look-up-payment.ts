import { type Database, statement } from '@app/service-kit/database';
import type { ProcessorOutcome } from '../processors/payment-processor.ts';
import { type ClockDifferences, isLost } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-rows.ts';
import { type RecordContext, recordAnswer } from './record-payment.ts';

/**
 * Asks the processor how a payment stands, and records it.
 * - `not received`: the processor never got it, or has not got it yet. Of a buyer's payment only the latter: one that was
 *   certainly lost on its way has been declined, and only the buyer sends it again.
 * - `unanswered`: it could not be asked, or its answer could not be read; the payment stays as it is.
 * - a payment: as it stands then.
 */
export type LookedUp = Payment | 'not received' | 'unanswered';

export async function lookUpPayment(deps: PaymentDeps, payment: Payment, context: RecordContext): Promise<LookedUp> {
  const { clock, logger, database, processorCalls } = deps;
  const lookedUpMs = clock.nowMs();
  try {
    const outcome = await ask(deps, payment);
    if (outcome === null) {
      const clocks = await readClockDifferences(database, payment);
      if (!isLost(payment, processorCalls.deadlineMs, lookedUpMs, clocks)) return 'not received';
    }
    await recordAnswer(deps, payment, outcome ?? { status: 'not_received' }, context);
  } catch (err) {
    const { id: paymentId, account_id: accountId, order_id: orderId } = payment;
    logger.warn({ err, accountId, orderId, paymentId }, 'a payment could not be looked up; it is tried again');
    return 'unanswered';
  }
  return await readPayment(database, payment);
}

const clocksStatement = statement<ClockDifferences>(
  'payments-clock-differences',
  `select sent_ahead_ms as "sentAheadMs", extract(epoch from $4::timestamptz - clock_timestamp())::float8 * 1000 as "lookedUpAheadMs"
   from payments where account_id = $1 and order_id = $2 and id = $3`,
  { lookedUpAheadMs: 'float8', sentAheadMs: 'int8' },
);

/** The database's clock is the one that all replicas share. */
async function readClockDifferences(
  { pool }: Database,
  { account_id, order_id, id }: Payment,
): Promise<ClockDifferences> {
  const values = [account_id, order_id, id, new Date(Date.now())];
  const { rows } = await pool.query(clocksStatement(values));
  return rows[0] as ClockDifferences;
}

async function ask(deps: PaymentDeps, payment: Payment): Promise<ProcessorOutcome | null> {
  const { processor: name, account_id: accountId, test } = payment;
  const { processor, secretKey } = await deps.processors.named(name, accountId, test);
  return await deps.processorCalls.make<ProcessorOutcome | null>((signal) =>
    processor.lookUp(payment, { accountId, secretKey, test, signal }),
  );
}

/** The payment as it stands after a look-up that may have told nothing new. */
export const standing = (before: Payment, looked: LookedUp): Payment => (typeof looked === 'string' ? before : looked);
