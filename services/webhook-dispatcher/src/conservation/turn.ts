import { type Client, type Database, statement } from '@app/service-kit/database';

/** Runs that are kept: 34 days of one a minute. */
const runsKept = 50_000;

/** One replica has the turn; whose process dies lets the next one have it when the time has come. */
const takeTurnStatement = statement(
  'conservation-take-turn',
  `with turn as (
     update conservation set run_id = run_id + 1, next_run_at = now() + make_interval(secs => $1)
     where next_run_at <= now() returning run_id
   ), forgotten as (
     delete from conservation_runs where id <= (select run_id from turn) - ${runsKept}
   ), forgotten_gaps as (
     delete from conservation_gaps where run_id <= (select run_id from turn) - ${runsKept}
   )
   insert into conservation_runs (id) select run_id from turn returning id`,
);

const holdTurnStatement = statement(
  'conservation-hold-turn',
  'select older_account, older_sequence from conservation where run_id = $1 for update',
);

const finishStatement = statement(
  'conservation-finish',
  `with finished as (update conservation_runs set finished_at = now() where id = $1)
   update conservation set proved_at = now() where run_id = $1`,
);

/** Where the round over the older events stands. */
export interface Turn {
  readonly older_account: string;
  readonly older_sequence: number;
}

/** Returns the number of the run that begins; undefined while it is not time, or another replica has the turn. */
export async function takeTurn({ pool }: Database, intervalSeconds: number): Promise<number | undefined> {
  const { rows } = await pool.query<{ id: number }>(takeTurnStatement([intervalSeconds]));
  return rows[0]?.id;
}

/**
 * Every transaction of a run begins with it, so that at most one is under way at any time; undefined when another
 * replica has taken the turn since, because this one was late: then it stops.
 */
export async function holdTurn(client: Client, runId: number): Promise<Turn | undefined> {
  return (await client.query<Turn>(holdTurnStatement([runId]))).rows[0];
}

/** All new events are proved. */
export async function finishTurn({ pool }: Database, runId: number): Promise<void> {
  await pool.query(finishStatement([runId]));
}
