import { refundFailed } from '@app/contracts/payments';
import { outboxColumns, outboxRecord, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { RunOfAccount } from '../daily-runs/daily-step.ts';
import type { Payment } from '../payments/payment.types.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { noticeEvent } from '../payments/payment-events.ts';
import { refundFailedText } from '../payments/payment-notices.rules.ts';
import { paymentColumns, paymentOf } from '../payments/payment-rows.ts';

const dayMs = 86_400_000;
/** What a processor writes down late still lies in days that are compared again. */
const overlapMs = 3 * dayMs;
/** A list of three days has many pages. */
const listLimitMs = 5 * 60_000;

/** The processors that gave something back for the account, and from when on their lists were not compared yet. */
const comparisonsStatement = statement(
  'refunds-comparisons',
  `select p.processor, p.test, coalesce(c.compared_until, p.first_at) as since
   from (
     select processor, test, min(finished_at) as first_at from payments
     where account_id = $1 and step = 'refund' and status = 'succeeded' group by processor, test
   ) as p
   left join processor_comparisons as c on c.account_id = $1 and c.processor = p.processor and c.test = p.test`,
);

const comparedStatement = statement(
  'refunds-compared',
  `insert into processor_comparisons as c (account_id, processor, test, compared_until) values ($1, $2, $3, $4)
   on conflict (account_id, processor, test) do update
   set compared_until = greatest(c.compared_until, excluded.compared_until)`,
);

interface Comparison {
  readonly processor: string;
  readonly test: boolean;
  readonly since: Date;
}

/**
 * Compares the account's refunds with the processor's own list, from three days before the last comparison on: however
 * long no daily run came, and however late a bank sends a refund back, no failure is passed over. A refund that failed
 * after it had been taken opens its charge again, and is told once.
 */
export async function findFailedRefunds(
  deps: PaymentDeps,
  { accountId, isClosing }: Pick<RunOfAccount, 'accountId' | 'isClosing'>,
): Promise<void> {
  const { rows } = await deps.database.pool.query<Comparison>(comparisonsStatement([accountId]));
  for (const comparison of rows) if (!isClosing()) await compare(deps, accountId, comparison);
}

/** Days that one list covers: what was compared stays compared, should the rest of a long time take too long. */
const portionMs = 30 * dayMs;

/** A processor that does not answer ends nobody's daily run: the next one goes on where this one came to. */
async function compare(deps: PaymentDeps, accountId: string, { processor, test, since }: Comparison): Promise<void> {
  // The end is excluded, and what is recorded this very moment belongs to it.
  const endMs = deps.clock.nowMs() + 1;
  try {
    for (let fromMs = since.getTime() - overlapMs; fromMs < endMs; fromMs += portionMs) {
      const [from, to] = [new Date(fromMs), new Date(Math.min(fromMs + portionMs, endMs))];
      const failed = await failedAtProcessor(deps, accountId, { processor, test, from, to });
      const refunds = await succeededRefunds(deps, accountId, [...failed.keys()]);
      for (const refund of refunds)
        await reopen(deps, refund, failed.get(refund.id) ?? 'The processor gave no reason.');
      await deps.database.pool.query(comparedStatement([accountId, processor, test, to]));
    }
  } catch (err) {
    deps.logger.warn({ err, accountId, processor, test }, 'refunds could not be compared with the processor’s list');
  }
}

/** Our ids of the refunds that failed after they had been taken, and what the processor says of each. */
async function failedAtProcessor(
  { processors, calls }: PaymentDeps,
  accountId: string,
  { processor: name, test, from, to }: { processor: string; test: boolean; from: Date; to: Date },
): Promise<Map<string, string | undefined>> {
  const { processor, secretKey } = await processors.named(name, accountId, test);
  const read = async (signal: AbortSignal): Promise<Map<string, string | undefined>> => {
    const failed = new Map<string, string | undefined>();
    for await (const entry of processor.list(from, to, { accountId, secretKey, test, signal })) {
      const { kind, status, paymentId, message } = entry;
      if (kind === 'refund' && status === 'failed' && paymentId !== null) failed.set(paymentId, message ?? undefined);
    }
    return failed;
  };
  return await calls.make(read, { limitMs: listLimitMs });
}

const refundsStatement = statement(
  'refunds-succeeded',
  `select ${paymentColumns} from payments
   where account_id = $1 and id = any ($2) and step = 'refund' and status = 'succeeded'`,
);

async function succeededRefunds(
  { database }: PaymentDeps,
  accountId: string,
  ids: readonly string[],
): Promise<Payment[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.pool.query<Payment>(refundsStatement([accountId, ids]));
  return rows.map(paymentOf);
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
