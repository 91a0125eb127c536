import { dayMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';
import { type Client, statement } from '@app/service-kit/database';
import { type Range, takeRanges } from './conservation.rules.ts';
import type { RoundPosition } from './conservation-run.ts';

/** Events that one statement proves. It reads their deliveries by key: 13 ms. */
const batchMax = 1_000;
/** Accounts of which one statement looks up the first older event. */
const accountsMax = 100;
/** Older events are proved again for as long as their bodies are kept: a delivery that is lost later cannot be sent. */
const olderDays = 30;

/**
 * Accounts with events that were never proved, in the order of their ids. It merges two tables that have a row for each
 * account along their keys: 100,000 accounts take about 100 ms.
 */
const newEventsStatement = statement<RangeRow>(
  'conservation-new-events',
  `select l.account_id, coalesce(p.sequence, 0) as low, l.last_sequence as high
   from account_logs l left join proved_accounts p on p.account_id = l.account_id
   where l.account_id >= $1 and l.last_sequence > coalesce(p.sequence, 0)
   order by l.account_id limit ${batchMax}`,
  { account_id: 'text', low: 'int8', high: 'int8' },
);

const provedStatement = statement(
  'conservation-proved',
  `insert into proved_accounts (account_id, sequence)
   select * from unnest($1::text[], $2::bigint[]) order by 1
   on conflict (account_id) do update set sequence = excluded.sequence`,
);

/**
 * The next accounts of the round over the older events, with the numbers that are left to prove. The first event of the
 * time is found along the ids.
 */
const olderEventsStatement = statement<RangeRow>(
  'conservation-older-events',
  `select p.account_id, p.sequence as high, case when p.account_id = $1 then $2::bigint else (
     select e.sequence - 1 from events e
     where e.account_id = p.account_id and e.id >= $3 and e.sequence is not null order by e.id limit 1) end as low
   from proved_accounts p where p.account_id >= $1 order by p.account_id limit ${accountsMax}`,
  { account_id: 'text', high: 'int8', low: 'int8' },
);

const olderDoneStatement = statement(
  'conservation-older-done',
  `update conservation set older_account = $1, older_sequence = $2,
     round_ended_at = case when $3 then now() else round_ended_at end,
     round_started_at = case when $3 then now() else round_started_at end`,
);

interface RangeRow {
  readonly account_id: string;
  readonly low: number | null;
  readonly high: number;
}

/** Where a batch is, and how to write that it is done. */
export interface Batch {
  readonly ranges: readonly Range[];
  /** Nothing is left after it. */
  readonly isLast: boolean;
  /** In the transaction of the proof. */
  done(): Promise<void>;
}

/** The next events that were never proved, from an account on. */
export async function nextNewEvents(client: Client, fromAccount: string): Promise<Batch> {
  const { rows } = await client.query(newEventsStatement([fromAccount]));
  const { taken, all } = takeRanges(rows.flatMap(rangeOf), batchMax);
  return {
    ranges: taken,
    isLast: all && rows.length < batchMax,
    done: async () => {
      await client.query(provedStatement([taken.map(({ accountId }) => accountId), taken.map(({ high }) => high)]));
    },
  };
}

/** The next of the older events, in a round over all accounts. */
export async function nextOlderEvents(client: Client, nowMs: number, at: RoundPosition): Promise<Batch> {
  const floor = idFloor('event', nowMs - olderDays * dayMs);
  const values = [at.older_account, at.older_sequence, floor];
  const { rows } = await client.query(olderEventsStatement(values));
  const { taken, all } = takeRanges(rows.flatMap(rangeOf), batchMax);
  const isLast = all && rows.length < accountsMax;
  const end = all ? rows.at(-1) : undefined;
  const last = taken.at(-1);
  const next = isLast
    ? { account: '', sequence: 0 }
    : { account: end?.account_id ?? last?.accountId ?? '', sequence: end?.high ?? last?.high ?? 0 };
  return {
    ranges: taken,
    isLast,
    done: async () => {
      await client.query(olderDoneStatement([next.account, next.sequence, isLast]));
    },
  };
}

const rangeOf = ({ account_id: accountId, low, high }: RangeRow): Range[] =>
  low === null || low >= high ? [] : [{ accountId, low, high }];
