import type { advanceRehearsal as contract } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { rehearsalTime } from '../runs/rehearsal-time.ts';

export type RehearsalResult = RequestOutput<typeof contract>;

/** A command that moves an account's rehearsals, and who works on it. */
export interface Rehearsal {
  readonly accountId: string;
  readonly commandId: string;
  readonly days: number;
  /** Another for each process that works on the same command. */
  readonly owner: string;
}

/** What a command has done so far. */
export interface RehearsalDone {
  readonly ahead_days: number;
  readonly done_days: number;
  readonly ok: boolean;
  readonly charged: number;
  readonly charged_cents: number;
  readonly charged_by_currency: Readonly<Record<string, number>>;
  readonly retried: number;
  readonly canceled: number;
}

export type Begun =
  | { readonly kind: 'begun'; readonly done: RehearsalDone }
  | { readonly kind: 'finished'; readonly result: RehearsalResult }
  /** Another process works on this command, or on another one. */
  | { readonly kind: 'under way'; readonly same: boolean };

/** For how long no other process takes over, unless it is renewed. */
const leaseSeconds = 10;

interface ClockRow extends RehearsalDone {
  readonly command_id: string | null;
  readonly leased: boolean;
}

const doneColumns = 'ahead_days, done_days, ok, charged, charged_cents, charged_by_currency, retried, canceled';
const insertStatement = statement(
  'rehearsals-insert',
  'insert into rehearsal_clocks (account_id) values ($1) on conflict do nothing',
);
const lockStatement = statement<ClockRow>(
  'rehearsals-lock',
  `select ${doneColumns}, command_id, coalesce(leased_until > clock_timestamp(), false) as leased
   from rehearsal_clocks where account_id = $1 for update`,
  {
    ahead_days: 'int4',
    canceled: 'int4',
    charged: 'int4',
    charged_by_currency: 'jsonb',
    charged_cents: 'int8',
    command_id: 'text',
    done_days: 'int4',
    leased: 'bool',
    ok: 'bool',
    retried: 'int4',
  },
);
const resultStatement = statement<{ result: RehearsalResult }>(
  'rehearsals-result',
  'select result from commands where id = $1',
  { result: 'jsonb' },
);
const keepStatement = statement(
  'rehearsals-keep',
  'insert into commands (id, result) values ($1, $2) on conflict do nothing',
);
const leaseEnd = `clock_timestamp() + interval '${leaseSeconds} seconds'`;
const beginStatement = statement(
  'rehearsals-begin',
  `update rehearsal_clocks set lease_owner = $3, leased_until = ${leaseEnd}, command_id = $2, requested_days = $4,
     done_days = $5, ok = $6, charged = $7, charged_cents = $8, retried = $9, canceled = $10,
     charged_by_currency = $11
   where account_id = $1`,
);

/**
 * Begins a command, or goes on with it where the process that worked on it died. A command that was not continued ends here with
 * what it has done: should it come again, that is its result.
 * @param now of the clock
 */
export async function beginRehearsal(database: Database, rehearsal: Rehearsal, now: Date): Promise<Begun> {
  const { accountId, commandId, days, owner } = rehearsal;
  return await database.transaction(async (client) => {
    await client.query(insertStatement([accountId]));
    const { rows } = await client.query(lockStatement([accountId]));
    const row = rows[0] as ClockRow;
    const finished = await client.query(resultStatement([commandId]));
    if (finished.rows[0] !== undefined) return { kind: 'finished', result: finished.rows[0].result };
    const same = row.command_id === commandId;
    if (row.leased) return { kind: 'under way', same };
    if (!same && row.command_id !== null) await keepUnfinished(client, row.command_id, row, now);
    const done = same ? row : { ...nothingDone, ahead_days: row.ahead_days };
    const { done_days, ok, charged, charged_cents, charged_by_currency, retried, canceled } = done;
    const counts = [done_days, ok, charged, charged_cents, retried, canceled, charged_by_currency];
    await client.query(beginStatement([accountId, commandId, owner, days, ...counts]));
    return { kind: 'begun', done };
  });
}

const nothingDone = {
  done_days: 0,
  ok: true,
  charged: 0,
  charged_cents: 0,
  retried: 0,
  canceled: 0,
  charged_by_currency: {},
};

async function keepUnfinished(client: Client, commandId: string, done: RehearsalDone, now: Date): Promise<void> {
  await client.query(keepStatement([commandId, { ...resultOf(done, now), ok: false }]));
}

/** The published shape. @param now of the clock */
const resultOf = (done: RehearsalDone, now: Date): RehearsalResult => ({
  ok: done.ok,
  now: rehearsalTime(now, done.ahead_days).toISOString(),
  days: done.done_days,
  rebills: {
    charged: done.charged,
    chargedCents: done.charged_cents,
    retried: done.retried,
    canceled: done.canceled,
  },
  chargedByCurrency: { ...done.charged_by_currency },
});

const last = 'done_days + 1 = requested_days';
const commitStatement = statement(
  'rehearsals-commit-day',
  `with moved as (
     update rehearsal_clocks set ahead_days = $5, done_days = $6, ok = $7, charged = $8, charged_cents = $9,
       retried = $10, canceled = $11, charged_by_currency = $13, leased_until = case when ${last} then null else ${leaseEnd} end,
       lease_owner = case when ${last} then null else lease_owner end,
       command_id = case when ${last} then null else command_id end
     where account_id = $1 and command_id = $2 and lease_owner = $3 and done_days = $4
     returning command_id
   ), kept as (
     insert into commands (id, result) select $2, $12::jsonb from moved where command_id is null
     on conflict do nothing
   )
   select from moved`,
);

/**
 * A day is done: the clock moves, and after the last day the command has its result, in one statement.
 * @returns what the command has done so far; undefined when another process works on it
 */
export async function commitDay(
  { pool }: Database,
  { accountId, commandId, owner }: Rehearsal,
  done: RehearsalDone,
  now: Date,
): Promise<RehearsalResult | undefined> {
  const { ahead_days, done_days, ok, charged, charged_cents, retried, canceled } = done;
  const counts = [ahead_days, done_days, ok, charged, charged_cents, retried, canceled];
  const result = resultOf(done, now);
  const { rowCount } = await pool.query(
    commitStatement([accountId, commandId, owner, done_days - 1, ...counts, result, done.charged_by_currency]),
  );
  return rowCount === 1 ? result : undefined;
}

const leaseStatement = statement(
  'rehearsals-lease',
  `update rehearsal_clocks set leased_until = case when $3::boolean then ${leaseEnd} end
   where account_id = $1 and lease_owner = $2`,
);

/** Keeps the lease for longer, or gives it back so that the next process need not wait for its end. */
export async function keepLease({ pool }: Database, { accountId, owner }: Rehearsal, longer: boolean): Promise<void> {
  await pool.query(leaseStatement([accountId, owner, longer]));
}
