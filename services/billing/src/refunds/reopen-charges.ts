import { refundFailed } from '@app/contracts/payments';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { chargeColumns, chargeTypes } from '../charging/charge-columns.ts';
import { failedLater } from '../charging/payment.rules.ts';
import type { Charge, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { refundFailedText, reversalRefusedText } from '../charging/payment-notices.rules.ts';
import { noticeEvent } from '../charging/payment-notices.ts';
import { addGivenBack } from './add-given-back.ts';
import { lostInstead } from './refund.rules.ts';

/** A refund that failed after it had been taken, and what the processor says of it. */
export type FailedRefund = Pick<Payment, 'id' | 'accountId' | 'orderId' | 'amountCents' | 'currency' | 'test'> & {
  readonly message: string | null;
};

const failStatement = statement<Failed>(
  'refund-fail',
  `update payments as p set status = 'declined', decline_kind = 'soft', decline_reason = '${failedLater}', decline_message = $3
   from payments as charged
   where p.account_id = $1 and p.id = $2 and p.status = 'succeeded'
     and charged.account_id = p.account_id and charged.id = p.charge_id
   returning p.charge_id, p.step, p.call, charged.period`,
  { charge_id: 'text', step: 'text', call: 'text', period: 'int4' },
);

type Failed = Pick<Payment, 'step' | 'call' | 'period'> & { readonly charge_id: string };

const lockStatement = statement<Charge>(
  'charges-lock-reopened',
  `select ${chargeColumns()} from charges
   where account_id = $1 and id = $2 for no key update`,
  chargeTypes,
);

/** Read when the charge is locked: what waited for the lock may have lost a dispute. $3 the order */
const aroundStatement = statement<Around>(
  'charges-around-reopened',
  `select coalesce(sum(lost_cents), 0)::bigint as taken_cents,
     (array_agg(reference order by closed_at desc) filter (where lost_cents > 0))[1] as dispute_id,
     (select id from subscriptions where account_id = $1 and order_id = $3 limit 1) as subscription_id,
     exists (select from charges
       where account_id = $1 and order_id = $3 and step <> 'renewal' and refunded_cents < amount_cents) as was_open
   from disputes where account_id = $1 and order_id = $3 and payment_id = $2`,
  { dispute_id: 'text', subscription_id: 'text', taken_cents: 'int8', was_open: 'bool' },
);

interface Around {
  /** What its lost disputes took. */
  readonly taken_cents: number;
  /** The last of them. */
  readonly dispute_id: string | null;
  readonly subscription_id: string | null;
  /** Whether own charges of the order had not gone back whole by refunds. */
  readonly was_open: boolean;
}

const reopenStatement = statement(
  'charges-reopen',
  `update charges set refunded_cents = refunded_cents - $3, lost_cents = lost_cents + $4, reopened_at = $5
   where account_id = $1 and id = $2`,
);

/**
 * Opens the charge of a failed refund again, so that it may be requested once more, and notifies the seller once: an order
 * that had been given back whole is reopened by checkout, and `order.reopened` is what the seller reads of it. What a dispute
 * that was lost meanwhile has taken stays given back. What a reversal was to give back was never counted: that it did not, the seller reads.
 */
export async function reopenCharges(deps: PaymentDeps, refund: FailedRefund): Promise<void> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, id, amountCents } = refund;
  const nowMs = clock.nowMs();
  await database.transaction(async (client) => {
    const [failed] = (await client.query(failStatement([accountId, id, detailOf(refund)]))).rows;
    if (failed === undefined) return;
    if (failed.step === 'reversal') {
      const text = reversalRefusedText({ ...refund, call: failed.call }, detailOf(refund));
      const notice = noticeEvent(refund, text, { accountId, requestId: null, nowMs });
      await client.query(insertOutboxSql, [JSON.stringify([notice])]);
      return;
    }
    const { charge_id: chargeId, period } = failed;
    const [charge] = (await client.query(lockStatement([accountId, chargeId]))).rows;
    if (charge === undefined) return;
    const [around] = (await client.query(aroundStatement([accountId, chargeId, refund.orderId]))).rows;
    const lostCents = lostInstead(charge, amountCents, around?.taken_cents ?? 0);
    await client.query(reopenStatement([accountId, chargeId, amountCents, lostCents, new Date(nowMs)]));
    const disputeId = around?.dispute_id;
    if (lostCents > 0 && disputeId) {
      await addGivenBack(client, { accountId, orderId: refund.orderId, reference: disputeId }, lostCents);
    }
    const events = eventsOf(refund, { charge, period, around: around as Around, lostCents, nowMs });
    await client.query(insertOutboxSql, [JSON.stringify(events)]);
  });
  wakeRelay();
}

const detailOf = ({ message }: FailedRefund): string => message ?? 'The processor gave no reason.';

interface Reopening {
  readonly charge: Charge;
  readonly period: number | null;
  readonly around: Around;
  /** What a lost dispute has taken instead of the refund. */
  readonly lostCents: number;
  readonly nowMs: number;
}

function eventsOf(refund: FailedRefund, { charge, period, around, lostCents, nowMs }: Reopening) {
  const { id: paymentId, accountId, orderId, amountCents, currency, test } = refund;
  const detail = detailOf(refund);
  const source = { accountId, requestId: null, nowMs };
  const failedAt = new Date(nowMs).toISOString();
  const lost = {
    disputeId: around.dispute_id ?? '',
    givenBack: {
      // The dispute's own id is that of what it took before.
      refundId: `${around.dispute_id}/${paymentId}`,
      paymentId: charge.id,
      amountCents: lostCents,
      chargedCents: charge.amountCents,
      subscriptionId: charge.step === 'renewal' ? around.subscription_id : null,
      period,
      refundedAt: failedAt,
    },
  };
  const data = { orderId, paymentId, amountCents, currency, detail, test, failedAt, ...(lostCents > 0 && { lost }) };
  const isNews = around.was_open || charge.step === 'renewal' || lostCents > 0;
  return [
    outboxRow(refundFailed, data, source),
    ...(isNews ? [noticeEvent(refund, refundFailedText(refund, detail, lostCents), source)] : []),
  ];
}
