import type { getStatement as contract, statementLine } from '@app/contracts/affiliates';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { type Database, statement } from '@app/service-kit/database';
import { inOneSnapshot } from '@app/service-kit/one-snapshot';
import { unknownBefore } from '@app/service-kit/paging';
import type { z } from 'zod';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';
import { readBalances } from '../ledger/read-balances.ts';

type Statement = RequestOutput<typeof contract>;
type Line = Omit<z.infer<typeof statementLine>, 'created_at'> & { readonly created_at: Date };

/**
 * The balance after a line is the balance of today without what came after the line, in its currency. So the first page
 * reads no more lines than it has, and a later page those before it too.
 */
export const linesStatement = statement<Line>(
  'ledger-lines',
  `with owed as not materialized (
     select entry_no, id, kind, order_id, payout_id, currency, created_at,
       case when credit = 'owed' then amount_cents else -amount_cents end as amount_cents
     from ledger_entries where account_id = $1 and affiliate_id = $2
   ), newer as (
     select currency, sum(amount_cents) as cents from owed where entry_no >= $3 group by currency
   ), page as (
     select *, sum(amount_cents) over (partition by currency order by entry_no desc) - amount_cents as after_cents
     from (select * from owed where entry_no < $3 order by entry_no desc limit $4) as last
   )
   select id, kind, order_id, payout_id, amount_cents, currency, created_at,
     (b.owed_cents - coalesce(newer.cents, 0) - after_cents)::bigint as balance_cents
   from page join ledger_balances b using (currency) left join newer using (currency)
   where b.account_id = $1 and b.affiliate_id = $2
   order by entry_no desc`,
  {
    amount_cents: 'int8',
    balance_cents: 'int8',
    created_at: 'timestamptz',
    currency: 'text',
    id: 'text',
    kind: 'text',
    order_id: 'text',
    payout_id: 'text',
  },
);

const positionStatement = statement<{ entry_no: number }>(
  'ledger-position',
  'select entry_no from ledger_entries where account_id = $1 and affiliate_id = $2 and id = $3',
  { entry_no: 'int8' },
);

/**
 * An affiliate's statement from the ledger, newest line first, and what each currency has pending, due and paid. Lines and
 * balances are of one moment.
 * @throws DomainError affiliate_not_found; validation_failed when there is no line `before`
 */
export async function getStatement(
  { database, clock }: Pick<UseCaseDeps, 'database' | 'clock'>,
  accountId: string,
  { code, limit = limits.listMax, before }: RequestInput<typeof contract>,
): Promise<Statement> {
  const { id } = await requireAffiliate(database.fork(), accountId, code);
  const position = before === undefined ? Number.MAX_SAFE_INTEGER : await positionOf(database, [accountId, id, before]);
  const { lines, balances } = await inOneSnapshot(database, async (client) => {
    const found = await client.query(linesStatement([accountId, id, position, limit + 1]));
    const balances = await readBalances(client, accountId, [id], clock.now());
    return { lines: found.rows, balances: [...(balances.get(id) ?? [])] };
  });
  const data = lines.slice(0, limit).map((line) => ({ ...line, created_at: line.created_at.toISOString() }));
  return { balances, data, has_more: lines.length > limit };
}

async function positionOf(database: Database, values: readonly [string, string, string]): Promise<number> {
  // PostgreSQL cannot store such text, so it is no line's id.
  if (!values[2].isWellFormed() || values[2].includes('\u0000')) throw unknownBefore();
  const { rows } = await database.pool.query(positionStatement([...values]));
  const [line] = rows;
  if (line === undefined) throw unknownBefore();
  return line.entry_no;
}
