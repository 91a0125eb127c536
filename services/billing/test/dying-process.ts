import type { Client, Database } from '@app/service-kit/database';
import type { PaymentProcessor } from '../src/processors/payment-processor.ts';
import type { Wrap } from './payment-replicas.ts';

/** To the code it looks like a connection that broke: nothing that it tries afterwards has an effect either. */
class DiedError extends Error {
  readonly code = 'ECONNRESET';
}

export const isDeath = (err: unknown): boolean => err instanceof DiedError;

export interface DyingProcess extends Wrap {
  /** Whether it has come to the place where it dies. */
  readonly dead: boolean;
}

/**
 * A process that is killed at one of its seams: before or after one of its statements, each of which is a commit, or of
 * its calls of the processor. From then on neither database nor processor hears of it.
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
  const between = async <T>(work: () => Promise<T>): Promise<T> => {
    pass();
    const result = await work();
    pass();
    return result;
  };
  return {
    get dead() {
      return dead;
    },
    database: (database) => ({
      ...database,
      pool: poolOf(database, between),
      // Between its statements too; what was not committed then is rolled back, as when a connection ends.
      transaction: async (work) => {
        const result = await database.transaction((client) => work(clientOf(client, between)));
        pass();
        return result;
      },
    }),
    processor: (inner) => processorOf(inner, between),
  };
}

type Between = <T>(work: () => Promise<T>) => Promise<T>;

type Pool = Database['pool'];

function poolOf({ pool }: Database, between: Between): Pool {
  const query = (config: Parameters<Pool['query']>[0]) => between(() => pool.query(config));
  // A session of its own is the pool's: it counts its connections itself.
  return Object.assign(Object.create(pool) as Pool, { query, connect: () => pool.connect() });
}

function clientOf(client: Client, between: Between): Client {
  const query = (config: Parameters<Client['query']>[0]) => between(() => client.query(config));
  return Object.assign(Object.create(client) as Client, { query });
}

function processorOf(inner: PaymentProcessor, between: Between): PaymentProcessor {
  return {
    name: inner.name,
    authorize: (request, call) => between(() => inner.authorize(request, call)),
    charge: (request, call) => between(() => inner.charge(request, call)),
    chargeSaved: (request, call) => between(() => inner.chargeSaved(request, call)),
    capture: (request, call) => between(() => inner.capture(request, call)),
    refund: (request, call) => between(() => inner.refund(request, call)),
    release: (request, call) => between(() => inner.release(request, call)),
    lookUp: (paymentId, call) => between(() => inner.lookUp(paymentId, call)),
    list: (from, to, call) => inner.list(from, to, call),
  };
}
