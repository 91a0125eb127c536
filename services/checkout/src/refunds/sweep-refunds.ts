import { DomainError } from '@app/contracts/errors';
import { tryLimitMs } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { finishRefund, type RefundDeps } from './refund-order.ts';
import { orderColumns, type RefundedOrder, refundColumns } from './refunded-order.ts';

/** Whoever asked billing has heard by then, or has died. */
const askAgainMs = 60_000;
const claimMax = 100;

/** What one replica claims no other asks about: `asked_at` moves on with the claim. */
const claimStatement = statement(
  'refunds-claim',
  `with claimed as (
     update refunds set asked_at = $1 where id in (
       select id from refunds where status = 'requested' and asked_at <= $2 order by asked_at limit $3
       for update skip locked)
     returning *
   )
   select ${orderColumns}, ${refundColumns} from claimed as r
   join orders as o on o.account_id = r.account_id and o.id = r.order_id`,
);

/** Asks billing again about refunds that were requested and have not ended: their process died, or billing was away. */
export async function sweepRefunds(
  deps: RefundDeps & { readonly logger: Logger; readonly closing: () => boolean },
): Promise<void> {
  const { logger, closing } = deps;
  const nowMs = deps.clock.nowMs();
  const values = [new Date(nowMs), new Date(nowMs - askAgainMs), claimMax];
  const { rows } = await deps.database.pool.query<RefundedOrder>(claimStatement(values));
  for (const order of rows) {
    if (closing()) return;
    const context = { requestId: order.request_id ?? '', deadlineMs: Date.now() + tryLimitMs };
    await finishRefund(deps, order, context).catch((err: unknown) => {
      // The refusal is recorded; nobody waits for it.
      const refused = err instanceof DomainError && err.code === 'refund_failed';
      if (!refused)
        logger.warn({ err, orderId: order.id }, 'a refund could not be finished; the next sweep asks again');
    });
  }
}
