import { dayMs } from '@app/contracts/durations';
import type { Database } from '@app/service-kit/database';
import type { ProcessorCall, ProcessorDispute } from '../port.ts';
import { untilAborted } from '../until-aborted.ts';
import { type DisputedRow, disputedStatement } from './simulated-statements.ts';

/** The simulated processor takes no evidence: a dispute is lost when the time for it is over. */
const evidenceMs = 7 * dayMs;
const prefix = 'sim_dispute_';

/** What the bank says of a charge that it disputes, at this time. */
export function disputeOf(row: DisputedRow, now: Date): ProcessorDispute {
  const dueBy = new Date(row.recorded_at.getTime() + evidenceMs);
  return {
    reference: `${prefix}${row.reference}`,
    paymentId: row.payment_id,
    orderId: row.order_id,
    about: row.reference,
    amountCents: row.amount_cents,
    currency: row.currency,
    reason: 'product_not_received',
    status: now < dueBy ? 'needs_response' : 'lost',
    refundable: false,
    evidenceDueBy: dueBy,
    openedAt: row.recorded_at,
    takenCents: row.amount_cents,
  };
}

/** @throws Error for a dispute that is not in the books */
export async function readDispute(
  { pool }: Database,
  reference: string,
  now: Date,
  { accountId, test, signal }: ProcessorCall,
): Promise<ProcessorDispute> {
  const values = [accountId, test, reference.slice(prefix.length)];
  const { rows } = await untilAborted(signal, () => pool.query(disputedStatement(values)));
  if (rows[0] === undefined || !reference.startsWith(prefix)) {
    throw new Error(`the simulated processor knows no dispute ${reference}`);
  }
  return disputeOf(rows[0], now);
}
