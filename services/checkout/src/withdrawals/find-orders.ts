import { emailKey } from '@app/contracts/email-key';
import type { DeclaredWithdrawal } from '@app/contracts/withdrawals';
import { type Database, statement } from '@app/service-kit/database';
import { computedFirst } from '@app/service-kit/planner';
import { idsIn, type MeantOrder } from './withdrawal.rules.ts';

interface Row {
  readonly id: string;
  readonly product_id: string;
  readonly items: readonly { readonly kind: string; readonly label: string }[];
  readonly status: string;
  readonly test: boolean;
  readonly created_at: Date;
  readonly of_address: boolean;
}

/** Ids of one buyer's orders, along an index. Whoever has more of them knows a number. */
function idsOfBuyer(test: string): string {
  const own = computedFirst(`select id from orders where account_id = $1 and email_key = $2 and ${test}`);
  return `(select id from (${own}) as own order by id desc limit 50)`;
}

/** `$1` the account, `$2` the address's key, `$3` ids. Each row is looked up by its id: of an array the planner would read a young table whole. */
const candidates = statement<Row>(
  'withdrawal-orders',
  `select o.* from (
     ${idsOfBuyer('not test')} union ${idsOfBuyer('test')} union select id from unnest($3::text[]) as typed(id)) as w
   cross join lateral (
     select id, product_id, items, status, test, created_at, email_key = $2 as of_address from orders
     where account_id = $1 and id = w.id and status <> 'expired' limit 1) as o
   order by o.id desc`,
  {
    id: 'text',
    product_id: 'text',
    items: 'json',
    status: 'text',
    test: 'bool',
    created_at: 'timestamptz',
    of_address: 'bool',
  },
);

/** Orders that a statement may be about, newest first: those of its address, and those whose ids it has. */
export async function findOrders(
  { pool }: Database,
  accountId: string,
  { bought, email }: Pick<DeclaredWithdrawal, 'bought' | 'email'>,
): Promise<MeantOrder[]> {
  const { rows } = await pool.query(candidates([accountId, emailKey(email), idsIn(bought)]));
  return rows.map(({ product_id, items, created_at, of_address, ...row }) => ({
    ...row,
    productId: product_id,
    labels: items.filter(({ kind }) => kind !== 'discount').map(({ label }) => label),
    createdAt: created_at,
    ofAddress: of_address,
  }));
}
