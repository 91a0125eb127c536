import { dayMs } from '@app/contracts/durations';
import { idTimeMs } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement, unnamed } from '@app/service-kit/database';
import { openLockSession } from '@app/service-kit/lock-session';
import { makePartition, type Partition, partitionsAhead, partitionsOf } from './partition.rules.ts';

/** Of replicas that make or drop partitions of a table, one does it at a time. Ends with the transaction. */
export const lockPartitionsStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'partitions-lock',
  `select pg_advisory_xact_lock(hashtextextended('partitions ' || $1, 0))`,
  { pg_advisory_xact_lock: 'void' },
);

const attachedStatement = statement<{ name: string }>(
  'partitions-attached',
  `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = $1::regclass and c.relname = any ($2::text[])`,
  { name: 'name' },
);

/**
 * The prefix and six characters of the time, which all ids of the same 17 minutes share: to search for them costs a fifth
 * of reading the time of an id.
 */
const beginningLength = 10;
const idLength = 30;
/** The beginnings of five kinds of ids in a month. */
const beginningsMax = 12_500;

const dayOf = (id: string): string => `${id.slice(0, 3)}${Math.floor(idTimeMs(id) / dayMs)}`;

/** Whether ids that begin so are all of one day. */
const isWithinDay = (beginning: string): boolean =>
  dayOf(beginning.padEnd(idLength, '0')) === dayOf(beginning.padEnd(idLength, 'z'));

/**
 * Makes the partitions of rows that are about to be stored. Usually they were made ahead. But ids come from other
 * services, and a clock may be moved by months: so a process that stores rows calls `cover` with their ids first, which costs a
 * read of memory. There is no default partition: detaching another one would lock out all writers.
 */
export class Partitions {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #known = new Set<string>();
  /** Beginnings of ids whose partitions are known, such as `evt_01kaqz`. */
  readonly #beginnings = new Set<string>();
  #making: Promise<unknown> = Promise.resolve();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Makes the partitions of now and of the next days. Called at the start and hourly.
   * @param more for the start alone: a longer wait for the connection is one of every `cover` meanwhile too
   */
  async makeAhead(more: { readonly connectionTimeoutMillis?: number } = {}): Promise<void> {
    await this.#make(partitionsAhead(this.#clock.nowMs()), { ...this.#database.pool.options, ...more });
  }

  /**
   * Makes the partitions that rows with these ids need. It uses a connection of its own, so it may be called within a
   * transaction, but not after the transaction has written to the same tables.
   * @throws Error for what is no id of a partitioned table
   */
  async cover(ids: readonly string[]): Promise<void> {
    const missing = new Map<string, string>();
    for (const id of ids) if (!this.#beginnings.has(id.slice(0, beginningLength))) missing.set(dayOf(id), id);
    if (missing.size === 0) return;
    await this.#make([...missing.values()].flatMap(partitionsOf));
    if (this.#beginnings.size > beginningsMax) this.#beginnings.clear();
    for (const id of missing.values()) {
      const beginning = id.slice(0, beginningLength);
      if (isWithinDay(beginning)) this.#beginnings.add(beginning);
    }
  }

  /**
   * Whether the error says that a row has no partition: another replica has dropped it since. Then the next `cover`
   * reads the database, and the caller tries again.
   */
  forgetAfter(err: unknown): boolean {
    const { code, constraint } = err as { code?: unknown; constraint?: unknown };
    // Other violations of a check have the name of a constraint.
    if (code !== '23514' || constraint !== undefined) return false;
    this.#known.clear();
    this.#beginnings.clear();
    return true;
  }

  /** One call at a time, so that batches that miss the same partition wait for one of them to make it. */
  async #make(partitions: readonly Partition[], where = this.#database.pool.options): Promise<void> {
    const made = this.#making.then(() => this.#makeUnknown(partitions, where));
    this.#making = made.catch(() => undefined);
    await made;
  }

  async #makeUnknown(partitions: readonly Partition[], where: Database['pool']['options']): Promise<void> {
    const unknown = partitions.filter(({ name }) => !this.#known.has(name));
    if (unknown.length === 0) return;
    const session = await openLockSession(where);
    try {
      for (const [table, wanted] of Map.groupBy(unknown, (partition) => partition.table.name)) {
        const byName = new Map(wanted.map((partition) => [partition.name, partition]));
        const names = [...byName.keys()];
        await session.client.query('begin');
        await session.client.query(unnamed(lockPartitionsStatement([table])));
        const { rows } = await session.client.query(unnamed(attachedStatement([table, names])));
        for (const { name } of rows) byName.delete(name);
        await session.client.query([...[...byName.values()].map(makePartition), 'commit'].join(';\n'));
        for (const name of names) this.#known.add(name);
      }
    } finally {
      await session.close();
    }
  }
}
