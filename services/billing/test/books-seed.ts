import type { Database } from '@app/service-kit/database';

/**
 * Writes charges that stand on both sides, as payments through the service leave them, a second apart.
 * @param prefix of the payments' ids; theirs at the processor begin with `ref_` before it
 * @param skew how much later the processor recorded them, in milliseconds
 */
export async function seedCharges(
  database: Database,
  accountId: string,
  { prefix, count, from, everyMs = 1_000, skewMs = 0 }: SeededCharges,
): Promise<void> {
  const values = [accountId, prefix, count, from, everyMs, skewMs];
  await database.pool.query(
    `with seeded as (
       select $2 || lpad(n::text, 8, '0') as id, $4::timestamptz + (n - 1) * $5::integer * interval '1 millisecond' as at
       from generate_series(1, $3::integer) as n
     ), paid as (
       insert into payments (id, account_id, order_id, step, attempt_no, call, request, amount_cents, currency, status,
         processor, processor_reference, customer_email, product_name, test, created_at, finished_at)
       select id, $1, 'ord_' || id, 'main', 1, 'charge',
         json_build_object('paymentId', id, 'amountCents', 4900, 'currency', 'usd'), 4900, 'usd', 'succeeded', 'simulated', 'ref_' || id,
         'ada@example.com', 'Course', false, at, at
       from seeded
       returning id
     ), charged as (
       insert into charges (id, account_id, order_id, step, amount_cents, currency, processor, reference, test, charged_at)
       select id, $1, 'ord_' || id, 'main', 4900, 'usd', 'simulated', 'ref_' || id, false, at from seeded
       where (select count(*) from paid) > 0
     )
     insert into simulated_processor.entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency,
       order_id, parameters, recorded_at)
     select $1, false, id, 'ref_' || id, 'charge', 'succeeded', 4900, 'usd', 'ord_' || id, '',
       at + $6::integer * interval '1 millisecond'
     from seeded order by at`,
    values,
  );
}

export interface SeededCharges {
  readonly prefix: string;
  readonly count: number;
  readonly from: Date;
  readonly everyMs?: number;
  readonly skewMs?: number;
}
