import type { Clock } from '@app/service-kit/clock';
import { type Database, statement, unnamed } from '@app/service-kit/database';
import { type LockSession, openLockSession } from '@app/service-kit/lock-session';
import type { Logger } from '@app/service-kit/logger';
import { isExpired, type Partition, partitionNamed } from './partition.rules.ts';
import { lockPartitionsStatement } from './partitions.ts';

/** Of replicas that want to drop partitions one does; the lock ends with its session. */
const dropperLockStatement = statement<{ taken: boolean }>(
  'partitions-dropper-lock',
  `select pg_try_advisory_lock(hashtextextended('dropping partitions', 0)) as taken`,
  { taken: 'bool' },
);

/** Tables with names of partitions: attached, being detached, or detached and not dropped yet. */
const tablesStatement = statement<TableRow>(
  'partitions-tables',
  `select c.relname as name,
    case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end as state
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid
  where c.relkind = 'r' and pg_table_is_visible(c.oid) and c.relname ~ '_[0-9]{6}([0-9]{2})?$'
  order by c.relname`,
  { name: 'name', state: 'text' },
);

interface TableRow {
  readonly name: string;
  readonly state: 'attached' | 'detaching' | 'detached';
}

/** The body of an old event that came late is kept until its deliveries are finished. */
const neededStatement = statement<{ needed: boolean }>(
  'partitions-needed',
  'select exists (select from deliveries where event_id >= $1 and event_id < $2) as needed',
  { needed: 'bool' },
);

const attachmentStatement = statement('partitions-attachment', 'select from pg_inherits where inhrelid = $1::regclass');

/**
 * Drops partitions whose rows are all expired. A partition is detached first, without a lock for which readers or writers
 * would wait, and then dropped; a process that is killed in between leaves a table that the next run drops.
 */
export async function dropExpiredPartitions(storage: {
  database: Database;
  clock: Clock;
  logger: Logger;
}): Promise<void> {
  const session = await openLockSession(storage.database.pool.options);
  try {
    const { rows } = await session.client.query(unnamed(dropperLockStatement()));
    if (rows[0]?.taken !== true) return;
    const tables = await session.client.query(unnamed(tablesStatement()));
    for (const { name, state } of tables.rows) {
      const partition = partitionNamed(name);
      if (partition === undefined || !isExpired(partition, storage.clock.nowMs())) continue;
      if (!(await detach(session, partition, state))) continue;
      await drop(session, partition);
      storage.logger.info({ partition: name }, 'expired partition dropped');
    }
  } finally {
    await session.close();
  }
}

/** Returns false for a partition that is needed still. */
async function detach({ client }: LockSession, partition: Partition, state: TableRow['state']): Promise<boolean> {
  const { table, name, floor, ceiling } = partition;
  if (state === 'detached') return true;
  if (state === 'detaching') {
    await client.query(`alter table ${table.name} detach partition ${name} finalize`);
    return true;
  }
  if (table.name === 'event_bodies') {
    const { rows } = await client.query(unnamed(neededStatement([floor, ceiling])));
    if (rows[0]?.needed === true) return false;
  }
  await client.query(`alter table ${table.name} detach partition ${name} concurrently`);
  return true;
}

/** A process that makes partitions takes the same lock, so the table is not attached again at this moment. */
async function drop({ client }: LockSession, { table, name }: Partition): Promise<void> {
  await client.query('begin');
  await client.query(unnamed(lockPartitionsStatement([table.name])));
  const { rowCount } = await client.query(unnamed(attachmentStatement([name])));
  if (rowCount === 0) await client.query(`drop table ${name}`);
  await client.query('commit');
}
