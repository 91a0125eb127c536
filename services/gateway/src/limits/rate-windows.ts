import { type Database, statement } from '@app/service-kit/database';

/** A use of a caller's window. The window begins with its first use and lasts this many seconds. */
export interface Use {
  readonly caller: string;
  readonly amount: number;
  readonly seconds: number;
}

export interface Usage {
  /** Uses in the window, this one included. */
  readonly taken: number;
  readonly leftMs: number;
}

/** What `Retry-After` says of a window: the seconds until it ends, at least 1. */
export const retryAfterOf = ({ leftMs }: Pick<Usage, 'leftMs'>): number => Math.max(1, Math.ceil(leftMs / 1_000));

/** Windows that all replicas share. */
export interface RateWindows {
  /**
   * Counts the uses with one statement and returns them in their order. Calls that share several callers name them in
   * the same order, so that their statements never deadlock.
   */
  add(...uses: readonly Use[]): Promise<Usage[]>;
  /** Uses in the windows that go on, in their order; 0 where there is none. Counts nothing. */
  read(...callers: readonly string[]): Promise<number[]>;
  /** Resolves to the number of windows that were there. */
  forget(callers: readonly string[]): Promise<number>;
}

// Time is the database's. A window that ends later than a new one began before the clock was set back, and counts as
// over. The 5 s allow for statements that waited for each other: now() is when each was sent.
export const windowGoesOn = `w.ends_at > now() and w.ends_at <= excluded.ends_at + interval '5 seconds'`;

const add = statement<{ caller: string; taken: number; left_ms: number }>(
  'rate-windows-add',
  `insert into rate_windows as w (caller, ends_at, taken)
   select caller, now() + make_interval(secs => seconds), amount
   from unnest($1::text[], $2::integer[], $3::integer[]) with ordinality as u (caller, amount, seconds, position) order by position
   on conflict (caller) do update set
     ends_at = case when ${windowGoesOn} then w.ends_at else excluded.ends_at end,
     taken = case when ${windowGoesOn} then w.taken else 0 end + excluded.taken
   returning caller, taken, extract(epoch from ends_at - now())::float8 * 1000 as left_ms`,
  { caller: 'text', left_ms: 'float8', taken: 'int4' },
);

const read = statement<{ caller: string; taken: number }>(
  'rate-windows-read',
  'select caller, taken from rate_windows where caller = any($1) and ends_at > now()',
  { caller: 'text', taken: 'int4' },
);

const forget = statement('rate-windows-forget', 'delete from rate_windows where caller = any($1)');

export function createRateWindows({ pool }: Database): RateWindows {
  return {
    add: async (...uses) => {
      const values = [uses.map((use) => use.caller), uses.map((use) => use.amount), uses.map((use) => use.seconds)];
      const { rows } = await pool.query(add(values));
      return uses.map(({ caller, seconds }) => {
        const row = rows.find((one) => one.caller === caller);
        if (row === undefined) throw new Error('a window was not counted');
        return { taken: row.taken, leftMs: Math.min(row.left_ms, seconds * 1000) };
      });
    },
    read: async (...callers) => {
      const { rows } = await pool.query(read([callers]));
      return callers.map((caller) => rows.find((one) => one.caller === caller)?.taken ?? 0);
    },
    forget: async (callers) => {
      return (await pool.query(forget([callers]))).rowCount ?? 0;
    },
  };
}
