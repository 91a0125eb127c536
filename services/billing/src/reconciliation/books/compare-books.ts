import type { BooksComparison } from '@app/contracts/daily-runs';
import { dayMs } from '@app/contracts/durations';
import { processorName } from '@app/contracts/payment-processors';
import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { chosenName } from '../../processors/processor-registry.ts';
import { type DailyCounts, noCounts } from '../../runs/daily-counts.rules.ts';
import type { AccountRun } from '../../runs/daily-step.ts';
import { mustEnd, untilRefused } from '../../runs/refused-key.ts';
import { notFollowedText } from './books.rules.ts';
import { type ComparedBefore, timeToCompare } from './compared-time.rules.ts';
import { Comparison, type Found, listedOrphansMax } from './comparison.ts';
import { readList } from './read-list.ts';
import { recordListedFees } from './record-listed-fees.ts';

/** A processor that was never compared was used, when it charged within so long. */
const usedWithinMs = 3 * dayMs;

/**
 * The processors whose books are compared, and until when they were: those compared before, those that charged or gave back
 * since, the one that is chosen for new payments, and those that renewals are due at. What was never compared is compared from its first charge or hold on. Of
 * rehearsals those that charged or gave back. $1 account, $2 names of processors, $3 from when on charges and holds of a processor that was never compared count, $4 now, $5 the chosen one.
 */
const booksStatement = statement<ToCompare>(
  'books-to-compare',
  `with known as (
     select processor, test, compared_until, explained_until, recompared_at
     from processor_comparisons where account_id = $1
   ), refunds as (
     select processor, test, min(finished_at) as since from payments
     where account_id = $1 and step = 'refund' and status = 'succeeded'
       and finished_at >= coalesce((select min(compared_until) from known) - interval '4 days', '-infinity')
     group by processor, test
   ), used as (
     select processor, test, compared_until as since from known
     union all
     select processor, test, since from refunds
     where (processor, test) not in (select processor, test from known)
     union all
     select name, false, least($4::timestamptz, charged.since, held.since)
     from unnest($2::text[]) as name
     cross join lateral (select min(charged_at) as since, max(charged_at) as last from charges
       where account_id = $1 and processor = name and not test) as charged
     cross join lateral (select min(held_at) as since, max(held_at) as last from holds
       where account_id = $1 and processor = name and not test) as held
     where (name, false) not in (select processor, test from known)
       and (name = $5 or charged.last >= $3 or held.last >= $3 or exists (
         select from subscriptions where account_id = $1 and processor = name and not test and next_charge_at <= $4))
     union all
     select name, true, least($4::timestamptz, charged.since)
     from unnest($2::text[]) as name
     cross join lateral (select min(charged_at) as since, max(charged_at) as last from charges
       where account_id = $1 and processor = name and test) as charged
     where (name, true) not in (select processor, test from known) and charged.last >= $3
   )
   select processor, test, min(used.since) as since, min(known.explained_until) as explained_until,
     min(known.recompared_at) as recompared_at, count(known.compared_until) > 0 as compared
   from used left join known using (processor, test) group by processor, test order by processor, test`,
  {
    explained_until: 'timestamptz',
    recompared_at: 'timestamptz',
    compared: 'bool',
    processor: 'text',
    since: 'timestamptz',
    test: 'bool',
  },
);

interface ToCompare extends ComparedBefore {
  readonly processor: string;
  readonly test: boolean;
  /** Whether `since` is the end of a comparison. */
  readonly compared: boolean;
}

const writeStatement = statement('books-write', 'update daily_runs set books = $3 where account_id = $1 and id = $2');

/**
 * Compares what the platform recorded as charged, held and given back with the processors' own lists, as far back as
 * `timeToCompare` says. What stands on one side only is reported once, and the result is kept with the run. Of
 * rehearsals and live money alike, a refund that failed after it had been taken opens its charge again, and disputes are found.
 * A rehearsal's list that cannot be read is logged: no money is unexplained by it.
 *
 * An orphan makes the run not `ok`, for as long as the compared days show it: money that is not explained. So does a
 * list that could not be read; the next run compares from where the last comparison ended.
 */
export async function compareBooks(deps: PaymentDeps, run: AccountRun, counts: DailyCounts): Promise<void> {
  // Days of a rehearsal pass in seconds: their refunds and disputes are handled by the account's own runs.
  if (run.test || mustEnd(run)) return;
  const compared: BooksComparison[] = [];
  try {
    const guarded = untilRefused(deps, run);
    for (const books of await booksToCompare(deps, run.accountId)) {
      if (books.test) {
        await compareRehearsals(deps, run, books);
        continue;
      }
      const comparison = await compare(guarded, run, books, counts);
      if (comparison !== undefined) compared.push(comparison);
    }
  } catch (err) {
    deps.logger.warn({ err, accountId: run.accountId }, 'the books could not be compared with the processor’s list');
    counts.problems.push({ code: 'books_not_compared', detail: notComparedText });
    return;
  }
  if (run.isClosing()) return;
  const sum = sumOf(compared);
  if (sum === undefined) return;
  await deps.database.pool.query(writeStatement([run.accountId, run.runId, JSON.stringify(sum)]));
  if (sum.orphan_count > 0) counts.problems.push({ code: 'orphans_found', detail: orphansText(sum.orphan_count) });
}

/** Without the guard: a refused key for rehearsals ends nothing of the run. */
async function compareRehearsals(deps: PaymentDeps, run: AccountRun, books: ToCompare): Promise<void> {
  await compare(deps, run, books, noCounts()).catch((err: unknown) => {
    deps.logger.warn({ err, accountId: run.accountId }, 'the books of rehearsals could not be compared');
  });
}

const notComparedText =
  'The books could not be compared with the payment processor’s list. The next run compares these days as well.';
const orphansText = (count: number): string =>
  `${count === 1 ? '1 payment stands' : `${count} payments stand`} on one side only, at the payment processor or here. Recent activity says of each what to do.`;

/** The processors that the account has money at, and until when each was compared. */
export async function booksToCompare(deps: PaymentDeps, accountId: string): Promise<readonly ToCompare[]> {
  const chosen = await chosenName(deps.processors, accountId, false);
  const now = deps.clock.now();
  const chargedFrom = new Date(now.getTime() - usedWithinMs);
  const values = [accountId, processorName.options, chargedFrom, now, chosen];
  return (await deps.database.pool.query(booksStatement(values))).rows;
}

/**
 * Written once all orphans are reported, and not with each day that is read: where a comparison of many days ends before that, the next one
 * reads them all again. $4 until when it compared, $5 the same where all of it is explained, else null; $6 whether it compared again
 */
const endStatement = statement(
  'books-end',
  `insert into processor_comparisons as c (account_id, processor, test, compared_until, explained_until, recompared_at)
   values ($1, $2, $3, $4, $5, case when $6 then $5::timestamptz end)
   on conflict (account_id, processor, test) do update
   set compared_until = greatest(c.compared_until, excluded.compared_until), explained_until = excluded.explained_until,
     recompared_at = case when $6 then excluded.explained_until else c.recompared_at end`,
);

/** Undefined when the process closes meanwhile. */
async function compare(
  deps: PaymentDeps,
  run: AccountRun,
  { processor: name, test, ...before }: ToCompare,
  counts: Pick<DailyCounts, 'problems'>,
): Promise<BooksComparison | undefined> {
  const { accountId, isClosing } = run;
  const { pool } = deps.database;
  const { processor, ...keys } = await deps.processors.named(name, accountId, test);
  const until = deps.clock.now();
  const { listFromMs, fromMs, recompares, isWhole } = timeToCompare(before, until);
  const listed = { processor, call: { accountId, ...keys, test, isBackground: true } };
  const reading = { accountId, processor: name, test, at: until, from: new Date(listFromMs) };
  const fees = new Map<string, number>();
  const addFee = (currency: string, cents: number): void => void fees.set(currency, (fees.get(currency) ?? 0) + cents);
  let [disputes, unrecorded] = [0, 0];
  const { notFollowed, unexplainedAfter } = await readList(deps, listed, reading, {
    // The end is excluded, and what is recorded this very moment belongs to it.
    ...{ endMs: until.getTime() + 1, isClosing, keepsExplained: true },
    onPage: async (page) => {
      if (test) return;
      for (const fee of await recordListedFees(deps.database, reading, page)) addFee(fee.currency, fee.amount_cents);
    },
    // One of a charge that is not known here is read again by the next comparison: by then the charge may be known.
    onDispute: (dispute, isRecorded) => {
      if (!isRecorded) unrecorded += 1;
      else disputes += 1;
      if (isRecorded) for (const { currency, amountCents } of dispute.fees ?? []) addFee(currency, amountCents);
    },
  });
  if (isClosing()) return undefined;
  const from = new Date(fromMs);
  const found = test
    ? nothingFound
    : await new Comparison(deps, listed, reading).found({ from, until, isWhole, unexplainedAfter });
  const explainsAll = found.orphanCount === 0 && found.left + unrecorded + notFollowed.length === 0;
  const [first] = notFollowed;
  await pool.query(endStatement([accountId, name, test, until, explainsAll ? until : null, recompares]));
  if (first !== undefined) {
    counts.problems.push({ code: 'books_not_compared', detail: notFollowedText(first, notFollowed.length) });
  }
  return comparisonOf({ ...found, disputes, fees }, from, until);
}

/** Days of a rehearsal are compared for refunds that failed, and disputes. */
const nothingFound: Found = { charges: 0, refunds: 0, holds: 0, orphans: [], orphanCount: 0, left: 0 };

const comparisonOf = (
  {
    charges,
    refunds,
    holds,
    disputes,
    orphans,
    orphanCount,
    fees,
  }: Found & {
    /** Disputes that are recorded here; their money is that of a charge that stands on both sides. */
    readonly disputes: number;
    /** What the processor kept, by the currency in which it pays out. */
    readonly fees: ReadonlyMap<string, number>;
  },
  from: Date,
  until: Date,
): BooksComparison => ({
  compared_from: from.toISOString(),
  compared_until: until.toISOString(),
  charges,
  refunds,
  holds,
  disputes,
  orphans,
  orphan_count: orphanCount,
  ...(fees.size > 0 && { fees: [...fees].map(([currency, amount_cents]) => ({ currency, amount_cents })) }),
});

/** Of all processors that the account has money at. */
function sumOf([first, ...rest]: readonly BooksComparison[]): BooksComparison | undefined {
  if (first === undefined) return undefined;
  return rest.reduce(
    (sum, { compared_from, compared_until, charges, refunds, holds, disputes, orphans, orphan_count, fees }) => ({
      compared_from: [sum.compared_from, compared_from].toSorted()[0] ?? compared_from,
      compared_until,
      charges: sum.charges + charges,
      refunds: sum.refunds + refunds,
      holds: sum.holds + holds,
      disputes: sum.disputes + disputes,
      orphans: [...sum.orphans, ...orphans].slice(0, listedOrphansMax),
      orphan_count: sum.orphan_count + orphan_count,
      ...(sum.fees !== undefined || fees !== undefined ? { fees: feesOf([...(sum.fees ?? []), ...(fees ?? [])]) } : {}),
    }),
    first,
  );
}

const feesOf = (fees: NonNullable<BooksComparison['fees']>): NonNullable<BooksComparison['fees']> =>
  [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, each]) => ({
    currency,
    amount_cents: each.reduce((cents, { amount_cents }) => cents + amount_cents, 0),
  }));
