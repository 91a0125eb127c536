import type { Client, Database } from '@app/service-kit/database';
import { inTurn, wholeWork } from './whole-work.ts';

/** To the code it looks like a connection that broke: nothing that it tries afterwards has an effect either. */
class DiedError extends Error {
  readonly code = 'ECONNRESET';
}

export const isDeath = (err: unknown): boolean => err instanceof DiedError;

export interface DyingProcess {
  /** Whether it has come to where it dies. */
  readonly dead: boolean;
  /** The same database, as the process reaches it. */
  database(database: Database): Database;
  /** A call of something else, with a seam before and after it. */
  readonly between: Between;
}

type Between = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A process that is killed at one of its seams: before or after one of its statements, each of which is a commit, or of
 * its calls. From then on neither the database nor what it calls is notified of it.
 * @param seam counted from 1: odd ones are before a statement or call, even ones after it, as long as they do not overlap
 */
export function dyingAt(seam: number): DyingProcess {
  let passed = 0;
  let dead = false;
  const pass = (): void => {
    passed += 1;
    dead ||= passed >= seam;
    if (dead) throw new DiedError('killed');
  };
  const between: Between = async (work) => {
    pass();
    const result = await work();
    pass();
    return result;
  };
  return {
    get dead() {
      return dead;
    },
    between,
    database: (database) => ({
      ...database,
      pool: poolOf(database, between),
      // Between its statements too; what was not committed then is rolled back, as when a connection ends.
      transaction: async (work, lastOf) => {
        const result = await database.transaction((client) => wholeWork(work, lastOf)(clientOf(client, between)));
        pass();
        return result;
      },
    }),
  };
}

type Pool = Database['pool'];
type Query = Parameters<Pool['query']>[0];

function poolOf({ pool }: Database, between: Between): Pool {
  const query = (config: Query, values?: unknown[]) => between(() => pool.query(config, values));
  // A session of its own is the pool's: it counts its connections itself.
  return Object.assign(Object.create(pool) as Pool, { query, connect: () => pool.connect() });
}

const clientOf = (client: Client, between: Between): Client =>
  inTurn(client, (config, values) => between(() => client.query(config as Query, values)));
