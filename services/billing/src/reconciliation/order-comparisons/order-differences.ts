import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { outboxColumns, outboxRow, outboxTypes } from '@app/messaging/outbox';
import { type Database, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import type { PaymentDeps } from '../../charging/payment-deps.ts';

export interface OrderDifference {
  readonly orderId: string;
  /** What both sides say, and what to do. */
  readonly detail: string;
}

const foundTypes = { order_id: 'text', detail: 'text', ...outboxTypes };

const writeStatement = statement(
  'order-differences-write',
  `with incoming as (
     select * from ${tableOf(foundTypes, 4)}
   ), ended as (
     delete from order_differences where account_id = $1 and order_id = any ($3)
   ), found as (
     insert into order_differences as d (account_id, order_id, detail, found_at)
     select $1, order_id, detail, $2 from incoming order by order_id
     on conflict (account_id, order_id) do update set detail = excluded.detail where d.detail <> excluded.detail
     returning order_id
   )
   insert into outbox (${outboxColumns})
   select ${outboxColumns} from incoming where order_id in (select order_id from found)`,
);

/** Keeps what differs, and notifies the seller of what is new, in one statement. @param ended orders that differ no more */
export async function writeDifferences(
  { database, clock, wakeRelay }: Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>,
  accountId: string,
  found: readonly OrderDifference[],
  ended: readonly string[],
): Promise<void> {
  if (found.length === 0 && ended.length === 0) return;
  const source = { accountId, requestId: null, nowMs: clock.nowMs() };
  const rows = found.map(({ orderId, detail }) => ({
    order_id: orderId,
    detail,
    ...outboxRow(dailyRunNoticed, { code: 'order_differs', summary: detail, orderId, test: false }, source),
  }));
  const values = [accountId, clock.now(), ended, ...columnsOf(rows, foundTypes)];
  const { rowCount } = await database.pool.query(writeStatement(values));
  if (rowCount !== 0) wakeRelay();
}

const pageStatement = statement<{ order_id: string }>(
  'order-differences-page',
  'select order_id from order_differences where account_id = $1 and order_id > $2 order by order_id limit $3',
  { order_id: 'text' },
);

const pageRows = 1_000;

/** Orders that differed when they were last compared. */
export async function* ordersThatDiffered({ pool }: Database, accountId: string): AsyncGenerator<string[]> {
  let after = '';
  let page: { order_id: string }[];
  do {
    page = (await pool.query(pageStatement([accountId, after, pageRows]))).rows;
    after = page.at(-1)?.order_id ?? after;
    yield page.map(({ order_id }) => order_id);
  } while (page.length === pageRows);
}

const countStatement = statement<{ count: number }>(
  'order-differences-count',
  'select count(*)::int as count from order_differences where account_id = $1',
  { count: 'int4' },
);

export async function countDifferences({ pool }: Database, accountId: string): Promise<number> {
  return (await pool.query(countStatement([accountId]))).rows[0]?.count ?? 0;
}
