import { query } from '@app/testing/sql';

/** What the simulated processor's own books say of one order, in minor units. */
export interface Money {
  /** Charged and captured, less what was given back. */
  readonly chargedCents: number;
  /** Charges and captures that succeeded. */
  readonly charges: number;
  /** Holds that are neither captured nor released. */
  readonly openHolds: number;
}

/** By order id, over all accounts: what an outside party knows, read past the platform. */
export async function moneyByOrder(billingDatabaseUrl: string): Promise<Map<string, Money>> {
  const rows = await query<Money & { orderId: string }>(
    billingDatabaseUrl,
    `select order_id as "orderId",
       (coalesce(sum(amount_cents) filter (where kind in ('charge', 'capture') and status_now = 'succeeded'), 0)
         - coalesce(sum(amount_cents) filter (where kind = 'refund' and status_now = 'succeeded'), 0))::float8 as "chargedCents",
       (count(*) filter (where kind in ('charge', 'capture') and status_now = 'succeeded'))::integer as charges,
       (count(*) filter (where kind = 'hold' and status_now = 'succeeded' and taken_cents = 0 and released_at is null))::integer
         as "openHolds"
     from (select *, case when later_at <= now() then later_status else status end as status_now
           from simulated_processor.entries) as entry
     group by order_id`,
  );
  return new Map(rows.map(({ orderId, ...money }) => [orderId, money]));
}
