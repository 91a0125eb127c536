import { DomainError } from '@app/contracts/errors';
import { refundOrder } from '@app/contracts/orders';
import { statement } from '@app/service-kit/database';
import { claimDue, claimSql, type SweepRun, sweepDue } from '../sweeps/sweep-due.ts';
import { finishRefund, type RefundDeps } from './refund-order.ts';
import { orderColumns, type RefundedOrder, refundColumns, refundedTypes, refundFields } from './refunded-order.ts';

/** A process that requested it of billing has its answer by then, or has died. */
const recheckAfterMs = 60_000;

const claimStatement = statement<RefundedOrder>(
  'refunds-claim',
  `with claimed as (
     ${claimSql('refunds', 'requested', `account_id, order_id, ${refundFields}`)}
   )
   select ${orderColumns}, ${refundColumns} from claimed as r
   join orders as o on o.account_id = r.account_id and o.id = r.order_id`,
  refundedTypes,
);

/** Requests refunds from billing again that have not ended: their process died, or billing was away. */
export async function sweepRefunds(deps: RefundDeps & SweepRun): Promise<void> {
  const claim = () => claimDue(deps, claimStatement, recheckAfterMs);
  const work = async (order: RefundedOrder): Promise<void> => {
    const context = { requestId: order.request_id ?? '', deadlineMs: Date.now() + refundOrder.timeoutMs };
    await finishRefund(deps, order, context);
  };
  await sweepDue(deps, claim, work, (err, { id }) => {
    // The refusal is recorded; no caller waits for it.
    const refused = err instanceof DomainError && ['refund_failed', 'amount_changed'].includes(err.code);
    if (!refused) deps.logger.warn({ err, orderId: id }, 'a refund could not be finished; the next sweep retries');
  });
}
