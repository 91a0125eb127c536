import { type Client, statement } from '@app/service-kit/database';
import {
  addMonths,
  addTotals,
  customersOf,
  monthColumns,
  monthsOf,
  rollupLock,
  totalColumns,
  totalsOf,
} from '../rollups/rollup-columns.ts';
import type { Fact } from './fact.rules.ts';

/**
 * Facts and their roll-ups in one statement. A fact that is there already, under whatever event, adds nothing. Rows are written table by
 * table (each part reads the one before: customers, totals, months) and in key order within a table, so that two
 * replicas with overlapping batches wait for each other and never in a circle. A running rebuild is waited for before
 * the first row is written.
 */
const record = statement(
  'facts-record',
  `with guard as (
     select pg_advisory_xact_lock_shared(${rollupLock})
   ), fresh as (
     insert into facts (event_id, account_id, product_id, subject_id, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, email_key, has_bump, has_upsell, from_checkout)
     select event_id, account_id, product_id, subject_id, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, sha256(convert_to(email, 'UTF8')), has_bump, has_upsell, from_checkout
     from json_to_recordset($1::json) as f (
       event_id text, account_id text, product_id text, subject_id text, kind text, occurred_at timestamptz,
       test boolean, currency text, amount_cents bigint, mrr_cents bigint, email text, has_bump boolean,
       has_upsell boolean, from_checkout boolean) cross join guard
     order by event_id
     on conflict do nothing
     returning *
   ), new_customers as (
     insert into customers (account_id, product_id, email_key)
     select account_id, product_id, email_key from (${customersOf('fresh')}) as c
     order by account_id, product_id, email_key
     on conflict do nothing
     returning account_id, product_id
   ), new_totals as (
     insert into product_totals as t (account_id, product_id, ${totalColumns}, customers)
     select account_id, product_id, ${totalColumns}, coalesce(c.customers, 0)
     from (${totalsOf('fresh')}) as s
     left join (
       select account_id, product_id, count(*) as customers from new_customers group by account_id, product_id
     ) as c using (account_id, product_id)
     order by account_id, product_id
     on conflict (account_id, product_id) do update set ${addTotals}
     returning 1
   )
   insert into product_months as t (account_id, product_id, month, ${monthColumns})
   select account_id, product_id, month, ${monthColumns}
   from (${monthsOf('fresh')}) as s cross join (select count(*) from new_totals) as written_before
   order by account_id, product_id, month
   on conflict (account_id, product_id, month) do update set ${addMonths}`,
);

/** Records a batch. `client` is in a transaction, which the roll-up rows stay locked for. */
export async function recordFacts(client: Client, facts: readonly Fact[]): Promise<void> {
  await client.query(record([JSON.stringify(facts)]));
}
