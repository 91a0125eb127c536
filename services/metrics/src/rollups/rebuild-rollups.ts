import type { Database } from '@app/service-kit/database';
import { customersOf, monthColumns, monthsOf, rollupLock, totalColumns, totalsOf } from './rollup-columns.ts';

const wanted = '($1::text is null or account_id = $1)';
const columns = `account_id, product_id, kind, occurred_at, test, amount_cents, mrr_cents, email_key, has_bump, has_upsell,
  from_checkout`;
const facts = `(select ${columns} from facts where ${wanted}) as f`;

const steps = [
  `delete from product_totals where ${wanted}`,
  `delete from product_months where ${wanted}`,
  `delete from customers where ${wanted}`,
  `insert into customers (account_id, product_id, email_key) ${customersOf(facts)}`,
  `insert into product_totals (account_id, product_id, ${totalColumns}, customers)
   select account_id, product_id, ${totalColumns}, coalesce(c.customers, 0)
   from (${totalsOf(facts)}) as s
   left join (
     select account_id, product_id, count(*) as customers from customers where ${wanted} group by account_id, product_id
   ) as c using (account_id, product_id)`,
  `insert into product_months (account_id, product_id, month, ${monthColumns}) ${monthsOf(facts)}`,
];

/**
 * Computes the roll-ups of one account, or of all, from the facts alone. Readers see the old numbers until it is
 * done; batches of new facts wait, and are added to the new ones.
 */
export async function rebuildRollups(database: Database, accountId: string | null): Promise<void> {
  await database.transaction(async (client) => {
    // Facts may be many millions: the limit of a request's statements is not for these.
    await client.query('set local statement_timeout = 0');
    // A statement of its own: the ones after it see every batch that held the lock before.
    await client.query(`select pg_advisory_xact_lock(${rollupLock})`);
    for (const text of steps) await client.query(text, [accountId]);
  });
}
