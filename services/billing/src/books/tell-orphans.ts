import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { outboxColumns, outboxRecord, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Orphan } from './books.rules.ts';
import type { Books } from './own-payments.ts';

const tellStatement = statement(
  'books-tell-orphans',
  `with told as (
     insert into told_orphans (account_id, processor, side, kind, id, told_at)
     select $1, $2, o.side, o.kind, o.id, $4
     from json_to_recordset($3::json) as o(side text, kind text, id text)
     order by o.side, o.kind, o.id
     on conflict do nothing
     returning side, kind, id
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($5::json) as e(of_side text, of_kind text, of_id text, ${outboxRecord})
     where (of_side, of_kind, of_id) in (select side, kind, id from told)
   )
   select count(*) as told from told`,
);

/**
 * Tells the seller of each orphan that was not told before, in one statement with the memory of it.
 * @returns how many were told now
 */
export async function tellOrphans(
  { database, clock, wakeRelay }: PaymentDeps,
  { accountId, processor }: Books,
  orphans: readonly Orphan[],
): Promise<number> {
  if (orphans.length === 0) return 0;
  const source = { accountId, requestId: null, nowMs: clock.nowMs() };
  // The statement would tell of one that comes twice in one page once for each.
  const distinct = [
    ...new Map(orphans.map((orphan) => [`${orphan.side} ${orphan.kind} ${orphan.id}`, orphan])).values(),
  ];
  const events = distinct.map(({ side, kind, id, detail: summary, orderId }) => ({
    ...{ of_side: side, of_kind: kind, of_id: id },
    ...outboxRow(dailyRunNoticed, { code: 'orphan', summary, orderId, test: false }, source),
  }));
  const values = [accountId, processor, JSON.stringify(distinct), clock.now(), JSON.stringify(events)];
  const { rows } = await database.pool.query<{ told: number }>(tellStatement(values));
  wakeRelay();
  return rows[0]?.told ?? 0;
}
