import type { getStatement as contract, statementLine } from '@app/contracts/affiliates';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { type Database, statement } from '@app/service-kit/database';
import { unknownBefore } from '@app/service-kit/paging';
import type { z } from 'zod';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';
import type { AffiliateDeps } from '../deps.ts';

type Statement = RequestOutput<typeof contract>;
type Line = Omit<z.infer<typeof statementLine>, 'created_at'> & { readonly created_at: Date };

/** The balance after a line adds up all entries before it, in its currency. */
const linesStatement = statement(
  'ledger-lines',
  `select id, kind, order_id, payout_id, amount_cents, currency, created_at,
     (sum(amount_cents) over (partition by currency order by entry_no))::bigint as balance_cents
   from (
     select entry_no, id, kind, order_id, payout_id, currency, created_at,
       case when credit = 'owed' then amount_cents else -amount_cents end as amount_cents
     from ledger_entries where account_id = $1 and affiliate_id = $2 and entry_no < $3
   ) as owed
   order by entry_no desc limit $4`,
);

const placeStatement = statement(
  'ledger-place',
  'select entry_no from ledger_entries where account_id = $1 and affiliate_id = $2 and id = $3',
);

/** What is owed and not yet due is pending: the hold of its commission is not over. */
const balancesStatement = statement(
  'ledger-balances',
  `select currency, coalesce(pending_cents, 0) as pending_cents, owed_cents - coalesce(pending_cents, 0) as due_cents, paid_cents
   from (
     select currency, coalesce(sum(amount_cents) filter (where ledger_account = 'owed'), 0)::bigint as owed_cents,
       coalesce(sum(amount_cents) filter (where ledger_account = 'paid_out'), 0)::bigint as paid_cents
     from ledger_postings where account_id = $1 and affiliate_id = $2 group by currency
   ) as ledger
   left join (
     select currency, sum(amount_cents)::bigint as pending_cents from commissions
     where account_id = $1 and affiliate_id = $2 and status = 'pending' and due_at > $3 group by currency
   ) as held using (currency)
   order by currency`,
);

/**
 * An affiliate's statement from the ledger, newest line first, and what each currency has pending, due and paid. Lines and
 * balances are of one moment.
 * @throws DomainError affiliate_not_found; validation_failed when there is no line `before`
 */
export async function getStatement(
  { database, clock }: Pick<AffiliateDeps, 'database' | 'clock'>,
  accountId: string,
  { code, limit = limits.listMax, before }: RequestInput<typeof contract>,
): Promise<Statement> {
  const { id } = await requireAffiliate(database.fork(), accountId, code);
  const place = before === undefined ? Number.MAX_SAFE_INTEGER : await placeOf(database, [accountId, id, before]);
  const { lines, balances } = await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only');
    const found = await client.query<Line>(linesStatement([accountId, id, place, limit + 1]));
    const sums = await client.query<Statement['balances'][number]>(balancesStatement([accountId, id, clock.now()]));
    return { lines: found.rows, balances: sums.rows };
  });
  const data = lines.slice(0, limit).map((line) => ({ ...line, created_at: line.created_at.toISOString() }));
  return { balances, data, has_more: lines.length > limit };
}

async function placeOf(database: Database, values: readonly [string, string, string]): Promise<number> {
  // PostgreSQL cannot store such text, so it is no line's id.
  if (!values[2].isWellFormed() || values[2].includes('\u0000')) throw unknownBefore();
  const { rows } = await database.pool.query<{ entry_no: number }>(placeStatement([...values]));
  const [line] = rows;
  if (line === undefined) throw unknownBefore();
  return line.entry_no;
}
