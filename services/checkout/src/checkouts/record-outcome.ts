import type { PaymentOutcome } from '@app/contracts/payments';
import { outboxColumns, outboxRecord } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { checkoutOrder, orderPaidRow, type Source } from './checkout-order.ts';
import type { CheckoutRow, Queryable } from './checkout-row.ts';
import type { UpsellStatus } from './frozen-sale.ts';

/** How billing says that a try stands. */
export type TryOutcome = Pick<PaymentOutcome, 'status' | 'tryNo' | 'amountCents'> &
  Partial<Pick<PaymentOutcome, 'action' | 'reason'>>;

/** The order is written only by the one that moves the checkout on: whoever comes later changes nothing. */
const orderStatement = statement(
  'checkout-record-order',
  `with done as (
     update checkouts set status = $4, revision = revision + 1, try_no = $3, upsell_status = $5, reason = null,
       action_url = null
     where account_id = $1 and id = $2 and status not in ('authorized', 'paid', 'refunded') and upsell_status is null
     returning id
   ), ordered as (
     insert into orders (id, account_id, product_id, customer_email, customer_name, total_cents, currency, status,
       utm_source, utm_medium, utm_campaign, utm_term, utm_content, country, affiliate_code, discount_id, source,
       test, items, created_at, paid_at)
     select id, account_id, product_id, customer_email, customer_name, total_cents, currency, status,
       utm_source, utm_medium, utm_campaign, utm_term, utm_content, country, affiliate_code, discount_id, 'checkout',
       test, items, created_at, paid_at
     from json_to_record($6::json) as r(id text, account_id text, product_id text, customer_email text,
       customer_name text, total_cents bigint, currency text, status text, utm_source text, utm_medium text,
       utm_campaign text, utm_term text, utm_content text, country text, affiliate_code text, discount_id text,
       test boolean, items json, created_at timestamptz, paid_at timestamptz)
     where exists (select from done)
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($7::json) as e(${outboxRecord}) where exists (select from done)
   )
   select from done`,
);

/** A declined try ends for good: its discount's use is given back, and the buyer may try again. */
const declineStatement = statement(
  'checkout-record-decline',
  `with done as (
     update checkouts set status = 'open', revision = revision + 1, reason = $4, action_url = null
     where account_id = $1 and id = $2 and try_no = $3 and status in ('processing', 'requires_action')
     returning account_id, discount_id, test
   ), tried as (
     update checkout_tries set reason = $4
     where account_id = $1 and checkout_id = $2 and try_no = $3 and exists (select from done)
   ), returned as (
     update discount_uses as u set uses = greatest(u.uses - 1, 0) from done as d
     where u.account_id = d.account_id and u.discount_id = d.discount_id and not d.test
   )
   select from done`,
);

const confirmStatement = statement(
  'checkout-record-confirmation',
  `update checkouts set status = 'requires_action', revision = revision + 1, action_url = $4
   where account_id = $1 and id = $2 and try_no = $3 and status in ('processing', 'requires_action')`,
);

/**
 * Records how a try stands, in one statement: the order and its event, or the checkout open again, or what the buyer has
 * to do. Done by whoever hears of it first, billing's reply or its event, and by no one else.
 * @returns the checkout as it is then; undefined when it was done before, or when a later try is under way
 */
export async function recordOutcome(
  db: Queryable,
  row: CheckoutRow,
  outcome: TryOutcome,
  source: Source,
): Promise<CheckoutRow | undefined> {
  switch (outcome.status) {
    case 'succeeded':
    case 'held':
      return await recordOrder(db, row, outcome, source);
    case 'declined':
      return await recordDecline(db, row, outcome);
    case 'requires_action':
      return await recordConfirmation(db, row, outcome);
    case 'processing':
      return row;
  }
}

async function recordOrder(
  db: Queryable,
  row: CheckoutRow,
  { status: payment, tryNo, amountCents }: TryOutcome,
  source: Source,
): Promise<CheckoutRow | undefined> {
  const sale = requireSale(row, amountCents);
  const status = payment === 'held' ? 'authorized' : 'paid';
  const upsell_status: UpsellStatus | null = payment === 'held' ? 'offered' : null;
  const order = checkoutOrder(row, sale, status, source.nowMs);
  const events = status === 'paid' ? [orderPaidRow(row, sale, order, null, source)] : [];
  const values = [row.account_id, row.id, tryNo, status, upsell_status, JSON.stringify(order), JSON.stringify(events)];
  const { rowCount } = await db.query(orderStatement(values));
  return rowCount === 0 ? undefined : { ...row, status, upsell_status, try_no: tryNo, reason: null, action_url: null };
}

/** Money for another amount than the sale's is no payment of it: somebody has to look. */
function requireSale({ id, sale }: CheckoutRow, amountCents: number) {
  if (sale === null || sale.totalCents !== amountCents)
    throw new Error(`${amountCents} were paid for the checkout ${id}, whose sale is ${sale?.totalCents ?? 'none'}`);
  return sale;
}

async function recordDecline(
  db: Queryable,
  row: CheckoutRow,
  { tryNo, reason: told }: TryOutcome,
): Promise<CheckoutRow | undefined> {
  const reason = told ?? 'try_again_later';
  const { rowCount } = await db.query(declineStatement([row.account_id, row.id, tryNo, reason]));
  return rowCount === 0 ? undefined : { ...row, status: 'open', reason, action_url: null };
}

async function recordConfirmation(
  db: Queryable,
  row: CheckoutRow,
  { tryNo, action }: TryOutcome,
): Promise<CheckoutRow | undefined> {
  const action_url = action?.url ?? null;
  const { rowCount } = await db.query(confirmStatement([row.account_id, row.id, tryNo, action_url]));
  return rowCount === 0 ? undefined : { ...row, status: 'requires_action', action_url };
}
