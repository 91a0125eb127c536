import { setTimeout as wait } from 'node:timers/promises';
import { createBatcher } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import { together } from '@app/service-kit/together';
import {
  type Capacity,
  type CapacityUse,
  grant,
  type Refused,
  type Requested,
  type Taking,
} from './attempt-capacity.rules.ts';
import { windowGoesOn } from './rate-windows.ts';

/** What an attempt changes in a window once its outcome is known, or capacity that turned out not to be there. */
export interface CapacityChange {
  readonly caller: string;
  /** Capacity that was held and is free again. */
  readonly released: number;
  /** What counts until the window ends; negative takes it back. */
  readonly counted: number;
  /** The window in which it was held, as `Capacity` names it; null where nothing was held. */
  readonly window: string | null;
}

/**
 * Capacity for attempts to pay, over all replicas, in the windows of `rate_windows`: it is held before the attempt, so that
 * attempts at the same moment cannot exceed a limit together. Of a process that ends in between it is held until the window
 * ends. Calls at the same time share their statements.
 */
export interface AttemptCapacity {
  /**
   * Resolves when all of what is requested is held. While attempts under way hold what is missing it is waited for.
   * @param refused what is requested instead of what was not held, if anything
   * @returns the windows in which it is held, in the order of the uses; undefined when it was not within the limit
   * @throws what `refused` throws
   */
  hold(
    uses: readonly CapacityUse[],
    { withinMs, checkAgainMs, refused }: Holding,
  ): Promise<readonly string[] | undefined>;
  /** @param paid callers to remember as having paid, for 30 days */
  record(changes: readonly CapacityChange[], paid?: string): Promise<void>;
  close(): Promise<void>;
}

/** How capacity is waited for, in milliseconds. */
export interface Holding {
  readonly withinMs: number;
  readonly checkAgainMs: number;
  readonly refused: (refused: Refused) => Promise<readonly CapacityUse[] | undefined>;
}

export const windowSeconds = 600;

const takeStatement = statement<Capacity>(
  'attempt-capacity-take',
  `insert into rate_windows as w (caller, ends_at, taken, held)
   select caller, now() + make_interval(secs => ${windowSeconds}), 0, amount
   from unnest($1::text[], $2::integer[]) with ordinality as u (caller, amount, position) order by position
   on conflict (caller) do update set
     ends_at = case when ${windowGoesOn} then w.ends_at else excluded.ends_at end,
     taken = case when ${windowGoesOn} then w.taken else 0 end,
     held = case when ${windowGoesOn} then w.held else 0 end + excluded.held
   returning caller, taken, held, ends_at::text as window`,
  { caller: 'text', held: 'int4', taken: 'int4', window: 'text' },
);

/**
 * `$1` callers in the order in which every statement locks them, `$2`–`$5` their changes, `$6` who paid. What was held in a
 * window that has ended is gone with it.
 */
const recordStatement = statement(
  'attempt-capacity-record',
  `with locked as materialized (
     select w.caller, w.ends_at
     from unnest($1::text[]) with ordinality as k (caller, position) join rate_windows as w on w.caller = k.caller
     where w.ends_at > now() order by k.position for update of w
   ), due as (
     select l.caller, sum(u.counted)::integer as counted,
       coalesce(sum(u.released) filter (where u.ends_at = l.ends_at), 0)::integer as released
     from locked as l
     join unnest($2::text[], $3::integer[], $4::integer[], $5::timestamptz[]) as u (caller, released, counted, ends_at)
       on u.caller = l.caller
     group by l.caller
   ), paid as (
     insert into rate_windows as w (caller, ends_at, taken)
     select caller, now() + interval '30 days', 1
     from unnest($6::text[]) with ordinality as u (caller, position) order by position
     on conflict (caller) do update set ends_at = excluded.ends_at
     where w.ends_at < excluded.ends_at - interval '1 day'
   )
   update rate_windows as w set held = greatest(0, w.held - d.released), taken = greatest(0, w.taken + d.counted)
   from due as d where w.caller = d.caller`,
);

interface Recorded {
  readonly changes: readonly CapacityChange[];
  readonly paid: string | undefined;
}

/** As many as are under way while their callers wait; each is 100 bytes. */
const limits = { maxSize: 64, maxWaiting: 10_000, concurrency: 2 };

export function createAttemptCapacity({ pool }: Database): AttemptCapacity {
  const recordAll = async (all: readonly Recorded[]): Promise<undefined[]> => {
    const changes = all.flatMap((one) => one.changes);
    const paid = all.flatMap((one) => one.paid ?? []);
    await pool.query(
      recordStatement([
        inOrder(changes.map(({ caller }) => caller)),
        changes.map(({ caller }) => caller),
        changes.map(({ released }) => released),
        changes.map(({ counted }) => counted),
        changes.map(({ window }) => window),
        inOrder(paid),
      ]),
    );
    return all.map(() => undefined);
  };
  const takeAll = async (all: readonly Requested[]): Promise<Taking[]> => {
    const amounts = new Map<string, number>();
    for (const { uses } of all)
      for (const { caller, amount } of uses) amounts.set(caller, (amounts.get(caller) ?? 0) + amount);
    const callers = inOrder([...amounts.keys()]);
    const { rows } = await pool.query(takeStatement([callers, callers.map((caller) => amounts.get(caller))]));
    const takings = grant(all, rows, amounts);
    const refused = takings.flatMap((taking, index) => (taking.kind === 'held' ? [] : (all[index]?.uses ?? [])));
    const windows = new Map(rows.map(({ caller, window }) => [caller, window]));
    const changes = refused.map(({ caller, amount }) => {
      return { caller, released: amount, counted: 0, window: windows.get(caller) ?? null };
    });
    if (changes.length > 0) await recordAll([{ changes, paid: undefined }]);
    return takings;
  };
  const taking = createBatcher({ ...limits, run: together(takeAll) });
  const recording = createBatcher({ ...limits, run: together(recordAll) });
  return {
    hold: async (uses, { withinMs, checkAgainMs, refused }) => {
      const untilMs = performance.now() + withinMs;
      for (let wanted = uses; ; ) {
        const taken = await taking.add({ uses: wanted });
        if (taken.kind === 'held') return taken.windows;
        const otherwise = await refused(taken);
        if (otherwise !== undefined) wanted = otherwise;
        else if (performance.now() > untilMs) return undefined;
        else await wait(checkAgainMs);
      }
    },
    record: async (changes, paid) => await recording.add({ changes, paid }),
    close: async () => {
      await taking.close();
      await recording.close();
    },
  };
}

/** Each once, in one order for all statements and replicas, so that they never deadlock. */
const inOrder = (callers: readonly string[]): string[] => [...new Set(callers)].sort();
