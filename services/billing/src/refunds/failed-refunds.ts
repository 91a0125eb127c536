import { refundFailed } from '@app/contracts/payments';
import { outboxColumns, outboxRecord, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { Payment } from '../payments/payment.types.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { noticeEvent } from '../payments/payment-events.ts';
import { refundFailedText } from '../payments/payment-notices.rules.ts';
import { paymentColumns, paymentOf } from '../payments/payment-rows.ts';
import type { ProcessorRecord } from '../processors/processor.ts';

const dayMs = 86_400_000;
const comparedMs = 3 * dayMs;
/** A list of three days has many pages. */
const listLimitMs = 5 * 60_000;

const recentStatement = statement(
  'payments-recent-refunds',
  `select ${paymentColumns} from payments
   where account_id = $1 and step = 'refund' and status = 'succeeded' and finished_at >= $2`,
);

/**
 * Compares the account's refunds of the last three days with the processor's own list. One that failed after it had been
 * taken opens its charge again, and is told once.
 */
export async function findFailedRefunds(deps: PaymentDeps, accountId: string): Promise<void> {
  const from = new Date(deps.clock.nowMs() - comparedMs);
  const { rows } = await deps.database.pool.query<Payment>(recentStatement([accountId, from]));
  const refunds = new Map(rows.map((row) => [row.id, paymentOf(row)]));
  // Live money and rehearsals are apart at processors, and an account may have changed its own.
  for (const name of new Set([...refunds.values()].map(({ processor }) => processor))) {
    for (const test of [false, true]) {
      const chosen = [...refunds.values()].filter((refund) => refund.processor === name && refund.test === test);
      if (chosen.length > 0) await compare(deps, accountId, { name, test, from, refunds });
    }
  }
}

interface Comparison {
  readonly name: string;
  readonly test: boolean;
  readonly from: Date;
  readonly refunds: ReadonlyMap<string, Payment>;
}

async function compare(deps: PaymentDeps, accountId: string, comparison: Comparison): Promise<void> {
  for (const { paymentId, message } of await failedAtProcessor(deps, accountId, comparison)) {
    const refund = paymentId === null ? undefined : comparison.refunds.get(paymentId);
    if (refund !== undefined) await reopen(deps, refund, message ?? 'The processor gave no reason.');
  }
}

/** A processor that does not answer ends nobody's daily run: the next one compares the same days again. */
async function failedAtProcessor(
  { processors, calls, clock, logger }: PaymentDeps,
  accountId: string,
  { name, test, from }: Comparison,
): Promise<ProcessorRecord[]> {
  const { processor, secretKey } = await processors.named(name, accountId, test);
  // The end is excluded, and what is recorded this very moment belongs to it.
  const to = new Date(clock.nowMs() + 1);
  const read = async (signal: AbortSignal): Promise<ProcessorRecord[]> => {
    const found: ProcessorRecord[] = [];
    for await (const entry of processor.list(from, to, { accountId, secretKey, test, signal })) {
      if (entry.kind === 'refund' && entry.status === 'failed') found.push(entry);
    }
    return found;
  };
  try {
    return await calls.make(read, { limitMs: listLimitMs });
  } catch (err) {
    logger.warn({ err, accountId, processor: name, test }, 'the processor’s list of refunds could not be read');
    return [];
  }
}

const reopenStatement = statement(
  'charges-reopen',
  `with failed as (
     update payments set status = 'declined', decline_kind = 'soft', decline_reason = 'refund_failed', decline_message = $3
     where account_id = $1 and id = $2 and status = 'succeeded'
     returning account_id, subject, amount_cents
   ), reopened as (
     update charges as c set refunded_cents = c.refunded_cents - f.amount_cents
     from failed as f where c.account_id = f.account_id and c.id = f.subject
     returning c.id
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($4::json) as e(${outboxRecord}) where exists (select from reopened)
   )
   select from reopened`,
);

async function reopen({ database, clock, wakeRelay }: PaymentDeps, refund: Payment, detail: string): Promise<void> {
  const { id: paymentId, account_id: accountId, order_id: orderId, amount_cents: amountCents, currency, test } = refund;
  const source = { accountId, requestId: null, nowMs: clock.nowMs() };
  const failedAt = new Date(source.nowMs).toISOString();
  const events = [
    outboxRow(refundFailed, { orderId, paymentId, amountCents, currency, detail, test, failedAt }, source),
    noticeEvent(refund, refundFailedText(refund, detail), source),
  ];
  await database.pool.query(reopenStatement([accountId, paymentId, detail, JSON.stringify(events)]));
  wakeRelay();
}
