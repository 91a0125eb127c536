import type { CardWallet } from '@app/contracts/card-wallets';
import type { CheckoutStatus } from '@app/contracts/checkouts';
import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import type { DeclineReason } from '@app/contracts/payments';
import { type Client, type ColumnsOf, type Database, type StatementQuery, statement } from '@app/service-kit/database';
import { isOneRow, sameKey } from '@app/service-kit/planner';
import { namesOf } from '@app/service-kit/row-arrays';
import { utmTypes } from '../orders/order-columns.ts';
import type { FixedSale, UpsellStatus } from './fixed-sale.ts';
import { hashOf } from './secret.ts';

/** A pool, or the client of a transaction. */
export type Queryable = Pick<Client, 'query'>;

/** A checkout, and the sale of its last attempt; fields are named as the columns. */
export interface CheckoutRow {
  readonly id: string;
  readonly account_id: string;
  /** The checkout of which a link made this one; null of one that a buyer opened. */
  readonly copy_of: string | null;
  readonly status: CheckoutStatus;
  readonly revision: number;
  readonly product_id: string;
  readonly product_slug: string;
  readonly seller_name: string;
  readonly support_email: string;
  readonly decision_minutes: number;
  readonly test: boolean;
  readonly email: string | null;
  readonly email_key: string | null;
  readonly name: string | null;
  readonly country: string | null;
  readonly bump_ids: readonly string[];
  readonly discount_code: string | null;
  readonly affiliate_code: string | null;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly shown_cents: number;
  /** Of the lines that the buyer saw last. */
  readonly shown_quote: string;
  readonly settings_revision: number;
  readonly order_id: string | null;
  readonly attempt_no: number;
  readonly action_url: string | null;
  /** Why the last attempt was declined; null once the buyer has changed the order since. */
  readonly reason: DeclineReason | null;
  readonly upsell_status: UpsellStatus | null;
  /** The buyer or a seller's command decided on the upsell, and the end of it is not known yet. */
  readonly upsell_decided: boolean;
  readonly created_at: Date;
  readonly paid_at: Date | null;
  /** Of the card that was held or charged. */
  readonly last_four: string | null;
  readonly wallet: CardWallet | null;
  /** Until when the upsell may be decided on. */
  readonly decide_by: Date | null;
  /** Of the hold, what was not taken of a paid order: the seller captured a part at the processor. */
  readonly left_cents: number;
  /** Null before the first attempt. */
  readonly sale: FixedSale | null;
  /** Of the same attempt: an order of which it is a likely duplicate. */
  readonly repeats_order: string | null;
  /** When the same attempt began. */
  readonly attempt_began_at: Date | null;
  /** Why the same attempt was declined, also when the buyer has changed the order since. */
  readonly attempt_reason: CheckoutRow['reason'];
}

/** What a checkout is opened with. */
export const openedTypes = {
  id: 'text',
  account_id: 'text',
  copy_of: 'text',
  product_id: 'text',
  product_slug: 'text',
  seller_name: 'text',
  support_email: 'text',
  decision_minutes: 'int4',
  test: 'bool',
  email: 'text',
  email_key: 'text',
  name: 'text',
  country: 'text',
  bump_ids: 'text[]',
  discount_code: 'text',
  affiliate_code: 'text',
  ...utmTypes,
  shown_cents: 'int8',
  shown_quote: 'text',
  settings_revision: 'int4',
  created_at: 'timestamptz',
} as const;

/** Of a checkout, without its attempts. */
const fieldTypes = {
  ...openedTypes,
  status: 'text',
  revision: 'int4',
  order_id: 'text',
  attempt_no: 'int4',
  action_url: 'text',
  reason: 'text',
  upsell_status: 'text',
  upsell_decided: 'bool',
  paid_at: 'timestamptz',
  last_four: 'text',
  wallet: 'text',
  decide_by: 'timestamptz',
  left_cents: 'int8',
} as const;
export const checkoutFields = namesOf(fieldTypes);

export const checkoutTypes: ColumnsOf<CheckoutRow> = {
  ...fieldTypes,
  sale: 'json',
  repeats_order: 'text',
  attempt_began_at: 'timestamptz',
  attempt_reason: 'text',
};

/** Of a checkout `c` and one of its attempts `t`. */
export const checkoutColumns = `${namesOf(fieldTypes, 'c')}, t.sale, t.repeats_order, t.created_at as attempt_began_at, t.reason as attempt_reason`;

/** With the sale of the last attempt. */
export const checkoutsAndSales = `checkouts as c
  left join checkout_attempts as t on t.account_id = c.account_id and t.checkout_id = c.id and t.attempt_no = c.attempt_no`;

/** A buyer has no account: the secret says whose checkout it is. */
export interface OfBuyer {
  readonly checkoutId: string;
  readonly secret: string;
}

const bySecret = statement<CheckoutRow & { position: number }>(
  'checkouts-by-secret',
  `select c.*, w.position
   from unnest($1::text[], $2::bytea[], $1::text[]) with ordinality as w(id, hash, ${sameKey}, position)
   cross join lateral (
     select ${checkoutColumns} from ${checkoutsAndSales} where c.id = w.id and w.hash = any (c.secret_hashes) limit 1
   ) as c
   where ${isOneRow('w')}`,
  { ...checkoutTypes, position: 'int8' },
);

/** The checkout of each buyer, in their order; null for an id that is none, an unknown id and a wrong secret. */
export async function findCheckouts(db: Queryable, buyers: readonly OfBuyer[]): Promise<(CheckoutRow | null)[]> {
  const ids = buyers.map(({ checkoutId }) => (isId('checkout', checkoutId) ? checkoutId : null));
  const hashes = buyers.map(({ secret }) => hashOf(secret));
  const { rows } = await db.query(bySecret([ids, hashes]));
  const byPosition = new Map(rows.map(({ position, ...row }) => [position, row]));
  return buyers.map((_, index) => byPosition.get(index + 1) ?? null);
}

/** @throws DomainError checkout_not_found: the same error for an id that is none, an unknown id and a wrong secret */
export async function findCheckout(steps: Finding, buyer: OfBuyer): Promise<CheckoutRow> {
  return requireFound(await steps.find(buyer));
}

interface Finding {
  readonly find: (buyer: OfBuyer) => Promise<CheckoutRow | null>;
}

function requireFound<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new DomainError('checkout_not_found', 'No checkout has this id and secret.');
  return row;
}

const byId = statement<CheckoutRow>(
  'checkout-by-id',
  `select ${checkoutColumns} from ${checkoutsAndSales} where c.account_id = $1 and c.id = $2`,
  checkoutTypes,
);

/** A checkout as it is by now. */
export async function readAgain(
  database: Database,
  { account_id, id }: Pick<CheckoutRow, 'account_id' | 'id'>,
): Promise<CheckoutRow> {
  return await oneCheckout(database, id, byId([account_id, id]));
}

const ofAttempt = statement<CheckoutRow>(
  'checkout-of-attempt',
  `select ${checkoutColumns} from checkouts as c
   join checkout_attempts as t on t.account_id = c.account_id and t.checkout_id = c.id and t.attempt_no = $3
   where c.account_id = $1 and c.order_id = $2`,
  checkoutTypes,
);

/**
 * The checkout of an order with the sale of a certain attempt.
 * @throws Error when there is none: money without a sale
 */
export async function checkoutOfAttempt(
  db: Queryable,
  accountId: string,
  orderId: string,
  attemptNo: number,
): Promise<CheckoutRow> {
  const { rows } = await db.query(ofAttempt([accountId, orderId, attemptNo]));
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no attempt ${attemptNo} of the order ${orderId}`);
  return row;
}

async function oneCheckout<Row extends object>(
  database: Database,
  id: string,
  query: StatementQuery<Row>,
): Promise<Row> {
  const { rows } = isId('checkout', id) ? await database.pool.query(query) : { rows: [] };
  return requireFound(rows[0]);
}

const ownerBySecret = statement<{ account_id: string; paid: boolean }>(
  'checkout-owner',
  `select account_id, status in ('authorized', 'paid', 'refunded') as paid
   from checkouts where id = $1 and $2 = any (secret_hashes)`,
  { account_id: 'text', paid: 'bool' },
);

/**
 * Whose checkout it is, and whether an attempt to pay has succeeded.
 * @throws DomainError checkout_not_found
 */
export async function checkoutOwner(
  database: Database,
  { checkoutId, secret }: OfBuyer,
): Promise<{ accountId: string; paid: boolean }> {
  const query = ownerBySecret([checkoutId, hashOf(secret)]);
  const row = await oneCheckout(database, checkoutId, query);
  return { accountId: row.account_id, paid: row.paid };
}
