import { type Client, type Database, statement } from '@app/service-kit/database';

/** Runs that are kept: 34 days of one a minute. */
const runsKept = 50_000;

/*
 * A run of the proof is the turn of one replica, by the clock of the database, and its number is a fence. It is no lease of
 * deliveries, which says who may change a row (@app/service-kit/lease-owner), and no lock of a session that lives as long as the
 * run (@app/runs): each transaction writes all that it found, so there is nothing to free when a process dies.
 */

/** The replica that takes a run has the turn until the next run is due: then any replica may take that one. */
const takeRunStatement = statement<{ id: number }>(
  'conservation-take-run',
  `with run as (
     update conservation set run_id = run_id + 1, next_run_at = now() + make_interval(secs => $1)
     where next_run_at <= now() returning run_id
   ), forgotten as (
     delete from conservation_runs where id <= (select run_id from run) - ${runsKept}
   ), forgotten_gaps as (
     delete from conservation_gaps where run_id <= (select run_id from run) - ${runsKept}
   )
   insert into conservation_runs (id) select run_id from run returning id`,
  { id: 'int8' },
);

const lockRunStatement = statement<RoundPosition>(
  'conservation-lock-run',
  'select older_account, older_sequence from conservation where run_id = $1 for update',
  { older_account: 'text', older_sequence: 'int8' },
);

const finishStatement = statement(
  'conservation-finish',
  `with finished as (update conservation_runs set finished_at = now() where id = $1)
   update conservation set proved_at = now() where run_id = $1`,
);

/** Where the round over the older events stands. */
export interface RoundPosition {
  readonly older_account: string;
  readonly older_sequence: number;
}

/** Returns the number of the run that begins; undefined while it is not time, because a replica has taken the last one. */
export async function takeRun({ pool }: Database, intervalSeconds: number): Promise<number | undefined> {
  const { rows } = await pool.query(takeRunStatement([intervalSeconds]));
  return rows[0]?.id;
}

/**
 * Every transaction of a run begins with it, so that at most one is under way at any time: without the lock two find one lost
 * row and count it twice. Undefined when another replica has taken the next run since, because this one was late: then it
 * stops, or both would go on side by side.
 */
export async function lockRun(client: Client, runId: number): Promise<RoundPosition | undefined> {
  return (await client.query(lockRunStatement([runId]))).rows[0];
}

/** All new events are proved. */
export async function finishRun({ pool }: Database, runId: number): Promise<void> {
  await pool.query(finishStatement([runId]));
}
