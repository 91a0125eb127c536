import type { Duplex } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { AnyStatement, StatementQuery } from './statement.types.ts';

type Client = pg.PoolClient;

type ResultsOf<Queries extends readonly AnyStatement[]> = {
  -readonly [Index in keyof Queries]: Queries[Index] extends StatementQuery<infer Row>
    ? pg.QueryResult<Row>
    : pg.QueryResult;
};

/**
 * Sends statements right behind each other, without waiting for an answer in between: one write to the socket and one round trip, however
 * many there are. PostgreSQL runs them in their order, each on what the ones before have locked and written.
 * @throws the error of the first one that failed; in a transaction PostgreSQL refuses those behind it
 */
export async function pipelined<const Queries extends readonly AnyStatement[]>(
  client: Client,
  queries: Queries,
): Promise<ResultsOf<Queries>> {
  const stream = streamOf(client);
  stream.cork();
  const sent = queries.map((query) => client.query(query));
  stream.uncork();
  return (await Promise.all(sent)) as ResultsOf<Queries>;
}

/**
 * Ends a transaction: sends its last statements and COMMIT right behind them. Should one fail, PostgreSQL answers COMMIT with a rollback.
 * @throws the error of the first statement that failed
 */
export async function commitWith(client: Client, queries: readonly AnyStatement[]): Promise<void> {
  const stream = streamOf(client);
  stream.cork();
  const sent = Promise.all(queries.map((query) => client.query(query)));
  let hasFailed = false;
  sent.catch(() => {
    hasFailed = true;
  });
  // A statement that `pg` cannot write, as its values have no form in PostgreSQL, has failed by the end of this turn, and nothing is sent of
  // it: COMMIT would keep the others. Nothing has left the process yet, and the connection ends, because `pg` forgets the statement on it.
  if (queries.length > 0) await endOfTurn();
  if (hasFailed) stream.destroy();
  const committed = hasFailed ? undefined : client.query('commit');
  stream.uncork();
  committed?.catch(() => undefined);
  await sent;
  // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
  if ((await committed)?.command !== 'COMMIT') {
    throw new Error('the transaction was rolled back: a statement in it had failed');
  }
}

/** An orderly end would wait for the server; the types of `pg` do not show the connection. */
export function streamOf(client: Client): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
