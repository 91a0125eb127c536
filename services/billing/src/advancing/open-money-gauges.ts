import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { observeGauges, serviceGauge } from '@app/service-kit/metrics';

/** Counting stops here, at some 20 ms: so many are an outage, however many more they are. */
const countMax = 10_000;

const unknown = serviceGauge(
  'payments.unknown',
  '{payment}',
  `Live payments of which it is not known how they ended, by processor, counted up to ${countMax}`,
);
const unknownAge = serviceGauge('payments.unknown.oldest_age', 's', 'Since the oldest of them was made, by processor');
const overdueHolds = serviceGauge(
  'holds.overdue',
  '{hold}',
  `Live holds that were to be settled 15 minutes ago and are not, counted up to ${countMax}`,
);

/** A payment that its buyer must confirm is not unknown. */
const unknownStatement = statement<{ processor: string; payments: number; age: number }>(
  'payments-unknown-count',
  `select processor, count(*)::int as payments, extract(epoch from $1::timestamptz - min(created_at))::float8 as age
   from (
     select processor, created_at from payments
     where next_check_at is not null and not test and status in ('created', 'sent', 'unknown')
     order by next_check_at limit ${countMax}
   ) as open
   group by processor`,
  { age: 'float8', payments: 'int4', processor: 'text' },
);

const overdueStatement = statement<{ holds: number }>(
  'holds-overdue-count',
  `select count(*)::int as holds from (
     select from holds
     where status in ('held', 'settling') and due_at < $1::timestamptz - interval '15 minutes' and not test limit ${countMax}
   ) as overdue`,
  { holds: 'int4' },
);

/** Shows how much money is under way longer than it should be. */
export function observeOpenMoney({ pool }: Database, clock: Clock): { close(): void } {
  return observeGauges('billing', [unknown, unknownAge, overdueHolds], async () => {
    const now = [clock.now()];
    const [payments, holds] = await Promise.all([pool.query(unknownStatement(now)), pool.query(overdueStatement(now))]);
    const of = ({ processor }: { processor: string }) => ({ 'payment.processor': processor });
    return [
      ...payments.rows.map((row) => ({ gauge: unknown, value: row.payments, attributes: of(row) })),
      ...payments.rows.map((row) => ({ gauge: unknownAge, value: row.age, attributes: of(row) })),
      ...holds.rows.map((row) => ({ gauge: overdueHolds, value: row.holds })),
    ];
  });
}
