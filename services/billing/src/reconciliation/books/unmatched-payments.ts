import { formatAmount } from '@app/money/format';
import { type Database, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import type { ProcessorRecord } from '../../processors/port.ts';

const storedTypes = {
  reference: 'text',
  payment_id: 'text',
  kind: 'text',
  amount_cents: 'int8',
  currency: 'text',
  order_id: 'text',
  recorded_at: 'timestamptz',
} as const;
const stored = namesOf(storedTypes);

const storeStatement = statement(
  'unmatched-payments-store',
  `insert into unmatched_payments (account_id, processor, ${stored}, found_at)
   select $1, $2, ${stored}, $4 from json_to_recordset($3::json) as r(${recordOf(storedTypes)})
   order by reference
   on conflict do nothing`,
);

/** Keeps payments that nothing here explains. Those that were confirmed stay confirmed. */
export async function storeUnmatched(
  { pool }: Database,
  { accountId, processor }: { readonly accountId: string; readonly processor: string },
  records: readonly ProcessorRecord[],
  now: Date,
): Promise<void> {
  const rows = JSON.stringify(records.map(rowOf));
  if (records.length > 0) await pool.query(storeStatement([accountId, processor, rows, now]));
}

const rowOf = (record: ProcessorRecord): Record<keyof typeof storedTypes, unknown> => ({
  reference: record.reference,
  payment_id: record.paymentId,
  kind: record.kind,
  amount_cents: record.amountCents,
  currency: record.currency,
  order_id: record.orderId,
  recorded_at: record.recordedAt,
});

const confirmStatement = statement(
  'unmatched-payments-confirm',
  'update unmatched_payments set confirmed_at = $2 where account_id = $1 and confirmed_at is null',
);

/** The seller has looked them up: they stop no charge any more. */
export async function confirmUnmatched({ pool }: Database, accountId: string, now: Date): Promise<void> {
  await pool.query(confirmStatement([accountId, now]));
}

/** What waits for the seller. */
export interface Unmatched {
  readonly count: number;
  readonly reference: string;
  readonly kind: ProcessorRecord['kind'];
  readonly amount_cents: number;
  readonly currency: string;
  readonly recorded_at: Date;
}

/**
 * Without sales that are recorded here by now: their buyers' pages asked for them again. A renewal or a refund that the database lacked
 * says that it is older than what the seller and buyers have done since: it waits for the seller although it is recorded.
 */
const readStatement = statement<Unmatched>(
  'unmatched-payments-read',
  `select count(*) over ()::int as count, reference, kind, amount_cents, currency, recorded_at
   from unmatched_payments as u
   where account_id = $1 and confirmed_at is null
     and not exists (select from payments as p
       where p.account_id = $1 and p.id = u.payment_id and p.step not in ('renewal', 'refund'))
   order by recorded_at, reference limit 1`,
  {
    amount_cents: 'int8',
    count: 'int4',
    currency: 'text',
    kind: 'text',
    recorded_at: 'timestamptz',
    reference: 'text',
  },
);

/** How many there are, and the first of them; undefined when there is none. */
export async function readUnmatched(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
): Promise<Unmatched | undefined> {
  return (await pool.query(readStatement([accountId]))).rows[0];
}

/** What the seller reads, in Recent activity and in the result. */
export function unmatchedText({ count, reference, kind, amount_cents, currency, recorded_at }: Unmatched): string {
  const one = `a ${kind} of ${formatAmount(amount_cents, currency)} of ${recorded_at.toISOString().slice(0, 10)} (reference ${reference})`;
  const shown = count === 1 ? one : `${count} payments, the first ${one},`;
  return (
    `Nothing was charged: the payment processor shows ${shown} under an id of this platform that its database did not ` +
    'know, as after a restored backup. Look up there what was charged, given back and canceled since, and bring ' +
    'subscriptions here up to date; then run the job with { "confirmUnmatchedPayments": true }.'
  );
}
