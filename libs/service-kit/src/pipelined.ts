import type { Duplex } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import pg from 'pg';
import type { StatementQuery, Write } from './statement.types.ts';

type ResultsOf<Queries extends readonly pg.QueryConfig[]> = {
  -readonly [Index in keyof Queries]: Queries[Index] extends StatementQuery<infer Row>
    ? pg.QueryResult<Row>
    : pg.QueryResult;
};

/**
 * Sends statements of a transaction right behind each other, without waiting for an answer in between: one write to the socket and one
 * round trip, however many there are. PostgreSQL runs them in their order, each on what the ones before have locked and written.
 * @throws the error of one that failed; PostgreSQL refuses those behind it
 */
export async function pipelined<const Queries extends readonly pg.QueryConfig[]>(
  client: pg.PoolClient,
  queries: Queries,
): Promise<ResultsOf<Queries>> {
  return (await Promise.all(send(client, queries))) as ResultsOf<Queries>;
}

/**
 * Ends a transaction: sends its last statements and COMMIT right behind them. Should one fail, PostgreSQL answers COMMIT with a rollback.
 * @throws the error of a statement that failed
 */
export async function commitWith(client: pg.PoolClient, writes: readonly Write[]): Promise<void> {
  const stream = streamOf(client);
  stream.cork();
  const sent = Promise.all(send(client, writes));
  let committed: Promise<pg.QueryResult> | undefined;
  try {
    // What `pg` cannot write fails within this turn, before anything has left: then COMMIT, which would keep the others, must not follow.
    if (writes.length > 0) await Promise.race([sent, endOfTurn()]);
    [committed] = send(client, [{ text: 'commit' }], writes.length);
  } finally {
    stream.uncork();
  }
  await sent;
  // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
  if ((await committed)?.command !== 'COMMIT') {
    throw new Error('the transaction was rolled back: a statement in it had failed');
  }
}

/** @param before how many statements are under way before them */
function send(client: pg.PoolClient, queries: readonly pg.QueryConfig[], before = 0): Promise<pg.QueryResult>[] {
  const stream = streamOf(client);
  const { query_timeout: limitMs } = (client as unknown as { connectionParameters: { query_timeout?: number } })
    .connectionParameters;
  stream.cork();
  try {
    return queries.map((query, index) => {
      // `pg` counts from the sending on, and PostgreSQL's own limit holds for each statement: the last one may take as long as all.
      const withinMs = limitMs ? { query_timeout: limitMs * (before + index + 1) } : {};
      const sent = client.query({ ...query, ...withinMs });
      // What fails on our side, as values without a form in PostgreSQL do, leaves `pg` and the server of different minds about the connection.
      sent.catch((err: unknown) => {
        if (!(err instanceof pg.DatabaseError)) stream.destroy();
      });
      return sent;
    });
  } finally {
    stream.uncork();
  }
}

/** What the connection writes to. The types of `pg` do not show it. */
export function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
