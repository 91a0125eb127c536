import { dayMs, hourMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import type pg from 'pg';

/** Ids of payments follow from those of subscriptions, and so do the positions of their rows in indexes: no two were sold at once. */
const soldApartMs = 250;
const aboutMonthMs = 30 * dayMs;

/**
 * A monthly subscription for each saved card, sold one after another and without an affiliate, whose first period is over; that of
 * the last one ended an hour ago. With the keys of their addresses, as billing writes them: it would make those that are missing
 * meanwhile.
 */
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
  const firstDueMs = Date.now() - hourMs - cards.length * soldApartMs;
  const dueMs = cards.map((_, position) => firstDueMs + position * soldApartMs);
  await billing.query(
    `insert into subscriptions (id, account_id, order_id, product_id, product_name, customer_email, email_key, amount_cents,
       currency, billing_interval, status, collection, payment_method, processor, last_four, anchor, period, current_period_end,
       next_charge_at, started_at, test, affiliate_named)
     select id, $1, 'ord_01kbench00' || lpad(n::text, 16, '0'),
       'prd_01kbench00' || lpad('1', 16, '0'), 'Bench club', email, email, 1900, 'usd',
       'month', 'active', 'automatic', card, $6, '4242', anchor, 1, due, due, anchor, false, false
     from unnest($2::text[], $3::timestamptz[], $4::text[]) with ordinality as sold(id, due, card, position),
       lateral (select position + $5 as n) as numbered,
       lateral (select 'member-' || n || '@example.com' as email) as e,
       lateral (select due - interval '1 month' as anchor) as a`,
    [
      accountId,
      dueMs.map((ms) => newId('subscription', ms - aboutMonthMs)),
      dueMs.map((ms) => new Date(ms)),
      cards,
      rows[0]?.seeded ?? 0,
      processor,
    ],
  );
  await billing.query('vacuum analyze subscriptions');
}
