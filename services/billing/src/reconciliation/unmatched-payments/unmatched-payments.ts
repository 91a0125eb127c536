import { formatAmount } from '@app/money/format';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { byNoIndex, computedFirst, withOne } from '@app/service-kit/planner';
import type { Fact } from '../../ledger/facts.rules.ts';

const isFact = (
  seller: string,
  fact: string,
): string => `${seller}.account_id = $1 and ${seller}.processor = ${fact}.processor
       and ${seller}.test = ${fact}.test and ${seller}.reference = ${fact}.reference and ${seller}.kind = ${fact}.kind`;

/** By its own index: that of all facts of the account has them in the order that is wanted, and is the whole ledger. */
const lacked = computedFirst(
  `select position, account_id, processor, test, reference, kind, amount_cents, currency, payment_id, order_id, about, happened_at,
     seen_by, seen_at
   from processor_facts where account_id = $1 and lacked`,
);

/**
 * The seller saw them: a sighting as others, and the only thing that is kept of a confirmation. An event may come at any time: what it tells
 * is confirmed once a run could say it, as what a list shows.
 */
const confirmStatement = statement(
  'unmatched-payments-confirm',
  `insert into processor_facts (account_id, processor, test, reference, kind, amount_cents, currency, happened_at, payment_id, order_id,
     about, seen_by, seen_at)
   select account_id, processor, test, reference, kind, amount_cents, currency, happened_at, payment_id, order_id, about, 'seller', $2
   from (${lacked}) as l
   where seen_by = 'list'
     or seen_at <= (select max(started_at) from daily_runs where account_id = $1 and finished_at is not null)
   on conflict do nothing`,
);

/** The seller has looked them up: they stop no charge any more, however often a list shows them. */
export async function confirmUnmatched({ pool }: Database, accountId: string, now: Date): Promise<void> {
  await pool.query(confirmStatement([accountId, now]));
}

/** What waits for the seller. */
export interface Unmatched {
  readonly count: number;
  readonly reference: string;
  readonly kind: Fact['kind'];
  readonly amount_cents: number;
  readonly currency: string;
  readonly recorded_at: Date;
}

const unmatchedTypes: ColumnsOf<Unmatched> = {
  amount_cents: 'int8',
  count: 'int4',
  currency: 'text',
  kind: 'text',
  recorded_at: 'timestamptz',
  reference: 'text',
};

/**
 * Of what this database lacked when it was told. Without sales that are recorded here by now: their buyers' pages asked for them again. A
 * renewal or a refund that the database lacked says that it is older than what the seller and buyers have done since: it waits for the
 * seller although it is recorded.
 */
const readStatement = statement<Unmatched>(
  'unmatched-payments-read',
  `select count(*) over ()::int as count, reference, kind, amount_cents, currency, recorded_at
   from (
     select distinct on (processor, reference, kind) processor, test, reference, kind, amount_cents, currency, payment_id,
       coalesce(happened_at, seen_at) as recorded_at
     from (${lacked}) as l order by processor, reference, kind, position) as f
   ${withOne(`select true as by_seller from processor_facts as s where ${isFact('s', 'f')} and s.seen_by = 'seller'`, 'confirmed')}
   ${withOne(
     `select true as is_sale from payments as p
     where p.id = f.payment_id and ${byNoIndex('p.account_id = $1')} and p.step not in ('renewal', 'refund')`,
     'recorded',
   )}
   where confirmed.by_seller is null and recorded.is_sale is null
   order by recorded_at, reference limit 1`,
  unmatchedTypes,
);

/** How many there are, and the first of them; undefined when there is none. */
export async function readUnmatched(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
): Promise<Unmatched | undefined> {
  return (await pool.query(readStatement([accountId]))).rows[0];
}

/** What the seller reads, in Recent activity and in the result. */
export function unmatchedText({ count, reference, kind, amount_cents, currency, recorded_at }: Unmatched): string {
  const one = `a ${kind} of ${formatAmount(amount_cents, currency)} of ${recorded_at.toISOString().slice(0, 10)} (reference ${reference})`;
  const shown = count === 1 ? one : `${count} payments, the first ${one},`;
  return (
    `Nothing was charged: the payment processor shows ${shown} under an id of this platform that its database did not ` +
    'know, as after a restored backup. Look up there what was charged, given back and canceled since, and bring ' +
    'subscriptions here up to date; then run the job with { "confirmUnmatchedPayments": true }.'
  );
}
