import { hash } from 'node:crypto';
import { idPrefixes, idSuffixOf } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';
import { beginPayment } from '../charging/begin-payment.ts';
import { hasEnded } from '../charging/payment.rules.ts';
import type { Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-rows.ts';
import { recordAnswer } from '../charging/record-payment.ts';
import type { ProcessorRecord } from '../processors/port.ts';
import { attemptsOf, restOf } from './refund.rules.ts';

interface AtProcessor {
  readonly accountId: string;
  readonly processor: string;
}

/**
 * Records a refund that was made at the processor itself as one of ours, with the events of one. Its id follows from its
 * reference: two processes that find it at once write one row. A process that dies after writing it leaves a payment whose
 * look-up finds the refund by its reference, and which is never sent.
 * @returns `recorded`, also where it was before; `later` while another payment of the order has no outcome; `unknown` where the
 * account has no such charge, or less is left of it
 */
export async function recordFoundRefund(
  deps: PaymentDeps,
  { accountId, processor }: AtProcessor,
  record: ProcessorRecord,
): Promise<'recorded' | 'later' | 'unknown'> {
  if (record.orderId === null || record.about === null) return 'unknown';
  const money = await readMoney(deps.database, accountId, record.orderId);
  const { reference: made, amountCents, currency, about } = record;
  const charge = [...money.charges, ...money.renewals].find(
    (one) => one.reference === about && one.processor === processor,
  );
  if (charge === undefined || charge.currency !== currency) return 'unknown';
  const known = money.payments.find((one) => one.step === 'refund' && one.processor_reference === made);
  if (known !== undefined) return 'recorded';
  const id = foundRefundId(accountId, record);
  const before = money.payments.find((one) => one.id === id);
  if (before !== undefined) return hasEnded(before) ? 'recorded' : await end(deps, before, record);
  // Another refund of ours may have been counted that the processor did not take: its look-up says so.
  if (restOf(charge) < amountCents) return money.payments.every(hasEnded) ? 'unknown' : 'later';
  const begun = await beginPayment(deps, money, {
    id,
    step: 'refund',
    chargeId: charge.id,
    attemptNo: attemptsOf(money, charge).length + 1,
    amountCents,
    currency,
    processor,
    requestOf: (paymentId) => ({
      call: 'refund',
      request: { paymentId, amountCents, currency, reference: charge.reference, made },
    }),
  });
  return begun === undefined ? 'later' : await end(deps, begun, record);
}

const reopenedStatement = statement<{ readonly at: Date | null }>(
  'refunds-order-reopened',
  `select max(reopened_at) as at from charges where account_id = $1 and order_id = $2 and step <> 'renewal'`,
  { at: 'timestamptz' },
);

/**
 * When the refund counts: as it was made, but after an earlier one whose failure was known later. Checkout takes what was said before
 * a failure as void.
 */
async function timeOf({ database }: PaymentDeps, { account_id, order_id }: Payment, recordedAt: Date): Promise<number> {
  const [row] = (await database.pool.query(reopenedStatement([account_id, order_id]))).rows;
  return Math.max(recordedAt.getTime(), (row?.at?.getTime() ?? Number.NEGATIVE_INFINITY) + 1);
}

async function end(deps: PaymentDeps, payment: Payment, record: ProcessorRecord): Promise<'recorded'> {
  const { reference, recordedAt } = record;
  const money = await readMoney(deps.database, payment.account_id, payment.order_id);
  const outcome = { status: 'succeeded', reference } as const;
  await recordAnswer(deps, payment, outcome, { requestId: null, money }, await timeOf(deps, payment, recordedAt));
  return 'recorded';
}

const foundRefundId = (accountId: string, { reference, recordedAt }: ProcessorRecord): string => {
  const digest = hash('sha256', `refund ${accountId} ${reference}`, 'buffer');
  return `${idPrefixes.payment}_${idSuffixOf(recordedAt.getTime(), digest)}`;
};
