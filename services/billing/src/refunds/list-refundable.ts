import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { listRefundable as contract } from '@app/contracts/refundable-charges';
import { type Database, statement } from '@app/service-kit/database';
import { readMoney } from '../charging/payment-store.ts';
import { disputeOf } from './disputed.rules.ts';
import { refundWaitsFor } from './refund.rules.ts';

type Result = RequestOutput<typeof contract>;

const subscriptionStatement = statement<NonNullable<Result['subscription']>>(
  'refund-subscription-of-order',
  'select id, status from subscriptions where account_id = $1 and order_id = $2',
  { id: 'text', status: 'text' },
);

/** What a refund of the order could give back; nothing for an order that was not charged here. */
export async function listRefundable(
  database: Database,
  accountId: string,
  { orderId, renewals = true }: RequestInput<typeof contract>,
): Promise<Result> {
  const [money, { rows }] = await Promise.all([
    readMoney(database, accountId, orderId),
    database.pool.query(subscriptionStatement([accountId, orderId])),
  ]);
  const charges = [...money.charges, ...money.renewals].map((charge) => ({
    paymentId: charge.id,
    step: charge.step,
    amountCents: charge.amountCents,
    refundedCents: charge.refundedCents + charge.lostCents,
    currency: charge.currency,
    period: money.payments.find(({ id }) => id === charge.id)?.period ?? null,
    disputed: disputeOf(money, charge) !== undefined,
  }));
  return { charges, subscription: rows[0] ?? null, waits: refundWaitsFor(money, renewals) !== undefined };
}
