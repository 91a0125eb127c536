import { hash } from 'node:crypto';
import { idPrefixes, idSuffixOf } from '@app/contracts/ids';
import { type Client, statement } from '@app/service-kit/database';
import { decideAnswer } from '../../charging/decide-answer.rules.ts';
import { hasEnded } from '../../charging/payment.rules.ts';
import type { Charge, OrderMoney, Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { onlyPaymentOf, paymentColumns, paymentTypes, readMoney } from '../../charging/payment-store.ts';
import { recordAnswer } from '../../charging/record-answer.ts';
import { eventRows } from '../../charging/write-decision.ts';
import { namesPayment } from '../../ledger/facts.rules.ts';
import type { ProcessorRecord } from '../../processors/port.ts';
import { giveBack, lockCharges } from '../../refunds/record-refund.ts';
import { attemptsOf, restOf } from '../../refunds/refund.rules.ts';
import { lockOrderFirst } from '../../subscriptions/cancel-refunded.ts';

interface AtProcessor {
  readonly accountId: string;
  readonly processor: string;
}

/**
 * Records a refund that was made at the processor itself, or by a later state of this database: what happened there is a fact, so it waits
 * for no other payment of the order but its upsell: while a hold is being settled it is not known what all of the order's money is.
 * In one transaction its row is written as one that succeeded, with all that follows from a refund of ours. Its id follows
 * from its reference: two processes that find it at once write one row.
 * @returns `recorded`, also where it was before; `later` while a refund of ours of the same charge has no outcome, which may have been
 * counted without being taken, or while the order's hold is being settled; `unknown` where the account has no such charge, or less is
 * left of it
 */
export async function recordFoundRefund(
  deps: PaymentDeps,
  { accountId, processor }: AtProcessor,
  record: ProcessorRecord,
): Promise<'recorded' | 'later' | 'unknown'> {
  if (record.orderId === null) return 'unknown';
  for (let round = 0; round < roundsMax; round += 1) {
    const money = await readMoney(deps.database, accountId, record.orderId);
    const charge = chargeOf(money, record, processor);
    if (charge === undefined) return 'unknown';
    if (isBeingSettled(money, charge)) return 'later';
    const result = await recordOf(deps, { accountId, charge, money, record });
    if (result !== 'changed') return result;
  }
  return 'later';
}

/** @returns `changed` where something else was written of the charge since it was read */
async function recordOf(deps: PaymentDeps, found: Found): Promise<'recorded' | 'later' | 'unknown' | 'changed'> {
  const { charge, money, record } = found;
  const attempts = attemptsOf(money, charge);
  const before = attempts.find((payment) => isOf(payment, record));
  if (before === undefined) {
    if (restOf(charge) < record.amountCents) return attempts.every(hasEnded) ? 'unknown' : 'later';
    return (await writeFound(deps, found, attempts.length + 1)) ? 'recorded' : 'changed';
  }
  // One that an earlier version has written and not ended.
  if (!hasEnded(before)) await endFound(deps, before, record, money);
  return 'recorded';
}

const chargeOf = (
  { charges, renewals }: OrderMoney,
  { about, currency }: ProcessorRecord,
  processor: string,
): Charge | undefined =>
  [...charges, ...renewals].find(
    (one) => one.reference === about && one.processor === processor && one.currency === currency,
  );

/** What all of the order's own money is, is known once its upsell has an end; until then checkout has no paid order either. */
const isBeingSettled = ({ hold, charges }: OrderMoney, charge: Charge): boolean =>
  hold?.status === 'settling' && charges.includes(charge);

const isOf = ({ id, accountId, processorReference }: Payment, record: ProcessorRecord): boolean =>
  processorReference === record.reference || id === foundRefundId(accountId, record);

/** Rounds in which another process wrote a refund of the charge at the same moment. */
const roundsMax = 4;

interface Found {
  readonly accountId: string;
  readonly charge: Charge;
  readonly money: OrderMoney;
  readonly record: ProcessorRecord;
}

/** As the order's other payments are about the buyer and the product. $1 account, $2 order */
const insertStatement = statement<Payment>(
  'refunds-insert-found',
  `insert into payments (id, account_id, order_id, step, charge_id, attempt_no, call, request, amount_cents, currency, processor,
     customer_email, email_key, product_name, test, created_at, sent_at, finished_at, processor_reference, status)
   select $3, $1, $2, 'refund', $4, $5, 'refund', $6, $7, $8, $9, p.customer_email, p.email_key, p.product_name, p.test, $10, $10, $11, $12,
     'succeeded'
   from payments as p where p.account_id = $1 and p.id = $4
   on conflict do nothing
   returning ${paymentColumns}`,
  paymentTypes,
);

/** @returns false where something else was written of the charge since it was read */
async function writeFound(deps: PaymentDeps, found: Found, attemptNo: number): Promise<boolean> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, charge, money, record } = found;
  const written = await database.transaction(async (client) => {
    await lockOrderFirst(client, accountId, money.orderId);
    const locked = await lockCharges(client, accountId, money.orderId, charge.id);
    const now = locked.find(({ id }) => id === charge.id);
    if (now === undefined || restOf(now) !== restOf(charge)) return false;
    const finishedAt = await timeOf(client, accountId, money.orderId, record.recordedAt);
    const payment = await insertFound(client, found, attemptNo, finishedAt);
    if (payment === undefined) return false;
    const outcome = { status: 'succeeded', reference: record.reference } as const;
    const { events, effects } = decideAnswer(payment, outcome, finishedAt.getTime(), { money });
    if (effects.refunded === null) throw new Error(`the refund ${payment.id} gives back nothing`);
    const rows = eventRows({ events }, { accountId, requestId: null, nowMs: clock.nowMs() });
    await giveBack(client, { payment, refunded: effects.refunded, events: rows, finishedAt });
    return true;
  });
  if (written) wakeRelay();
  return written;
}

async function insertFound(
  client: Client,
  { accountId, charge, money, record }: Found,
  attemptNo: number,
  finishedAt: Date,
): Promise<Payment | undefined> {
  const { reference: made, amountCents, currency, recordedAt } = record;
  const id = foundRefundId(accountId, record);
  const request = { paymentId: id, amountCents, currency, reference: charge.reference, made };
  const about = [accountId, money.orderId, id, charge.id, attemptNo, JSON.stringify(request), amountCents, currency];
  return onlyPaymentOf(await client.query(insertStatement([...about, charge.processor, recordedAt, finishedAt, made])));
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
async function timeOf(db: Pick<Client, 'query'>, accountId: string, orderId: string, recordedAt: Date): Promise<Date> {
  const [row] = (await db.query(reopenedStatement([accountId, orderId]))).rows;
  return new Date(Math.max(recordedAt.getTime(), (row?.at?.getTime() ?? Number.NEGATIVE_INFINITY) + 1));
}

async function endFound(deps: PaymentDeps, payment: Payment, record: ProcessorRecord, money: OrderMoney) {
  const { accountId, orderId } = payment;
  const outcome = { status: 'succeeded', reference: record.reference } as const;
  const at = await timeOf(deps.database.pool, accountId, orderId, record.recordedAt);
  await recordAnswer(deps, payment, outcome, { requestId: null, seenBy: 'look-up', money }, at.getTime());
}

/** Ours keeps its id: one that a database lacks which a backup has replaced. */
const foundRefundId = (accountId: string, record: ProcessorRecord): string => {
  if (namesPayment(record)) return record.paymentId;
  const { reference, recordedAt } = record;
  const digest = hash('sha256', `refund ${accountId} ${reference}`, 'buffer');
  return `${idPrefixes.payment}_${idSuffixOf(recordedAt.getTime(), digest)}`;
};
