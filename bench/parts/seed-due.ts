import type pg from 'pg';

/** A monthly subscription for each saved card, sold without an affiliate, whose first period ended an hour ago. */
export async function seedDue(
  billing: pg.Client,
  accountId: string,
  processor: 'simulated' | 'stripe',
  cards: readonly string[],
): Promise<void> {
  const { rows } = await billing.query<{ seeded: number }>(
    `select count(*)::integer as seeded from subscriptions where account_id = $1`,
    [accountId],
  );
  await billing.query(
    `insert into subscriptions (id, account_id, order_id, product_id, product_name, customer_email, amount_cents, currency,
       billing_interval, status, collection, payment_method, processor, last_four, anchor, period, current_period_end,
       next_charge_at, started_at, test, affiliate_named)
     select 'sub_01kbench00' || lpad(n::text, 16, '0'), $1, 'ord_01kbench00' || lpad(n::text, 16, '0'),
       'prd_01kbench00' || lpad('1', 16, '0'), 'Bench club', 'member-' || n || '@example.com', 1900, 'usd',
       'month', 'active', 'automatic', card, $4, '4242', anchor, 1, due, due, anchor, false, false
     from unnest($2::text[]) with ordinality as cards(card, position),
       lateral (select position + $3 as n) as numbered,
       lateral (select date_trunc('milliseconds', now()) - interval '1 hour' as due) as d,
       lateral (select due - interval '1 month' as anchor) as a`,
    [accountId, cards, rows[0]?.seeded ?? 0, processor],
  );
  await billing.query('vacuum analyze subscriptions');
}
