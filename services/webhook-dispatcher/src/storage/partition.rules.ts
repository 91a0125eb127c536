import { dayMs } from '@app/contracts/durations';
import { type IdKind, idFloor, idTimeMs, isId } from '@app/contracts/ids';

/** A table whose rows lie in partitions by the time of their ids. */
export interface PartitionedTable {
  readonly name: string;
  /** The id by which it is partitioned. */
  readonly kind: IdKind;
  readonly unit: 'day' | 'month';
  /** A partition is dropped when its last row may be so old. */
  readonly keepDays: number;
}

/** Bodies and responses, which may hold personal data. */
export const bodyKeepDays = 30;
/** Attempts and notices: 13 months, so that a month can be compared with the same month a year ago. */
export const recordKeepDays = 396;
/** Attempts are read together with their delivery and its event, which are up to 30 days older than their last attempt. */
export const deliveryKeepDays = recordKeepDays + bodyKeepDays + 1;

const partitionedTables: readonly PartitionedTable[] = [
  { name: 'events', kind: 'event', unit: 'month', keepDays: deliveryKeepDays },
  { name: 'event_bodies', kind: 'event', unit: 'day', keepDays: bodyKeepDays },
  { name: 'finished_deliveries', kind: 'delivery', unit: 'month', keepDays: deliveryKeepDays },
  { name: 'attempts', kind: 'attempt', unit: 'month', keepDays: recordKeepDays },
  { name: 'attempt_responses', kind: 'attempt', unit: 'day', keepDays: bodyKeepDays },
  { name: 'notices', kind: 'notice', unit: 'month', keepDays: recordKeepDays },
];

/** The days or months, by UTC, for which partitions are made ahead: an hourly run may fail for three days. */
const aheadDays = 3;

/** A partition holds the ids from `floor` up to and without `ceiling`. */
export interface Partition {
  readonly table: PartitionedTable;
  readonly name: string;
  readonly endMs: number;
  readonly floor: string;
  readonly ceiling: string;
}

/** The partition of the table for rows made at that time. */
export function partitionAt(table: PartitionedTable, ms: number): Partition {
  const at = new Date(ms);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const isDay = table.unit === 'day';
  const startMs = isDay ? Date.UTC(year, month, day) : Date.UTC(year, month);
  const endMs = isDay ? startMs + dayMs : Date.UTC(year, month + 1);
  const digits = new Date(startMs)
    .toISOString()
    .replaceAll('-', '')
    .slice(0, isDay ? 8 : 6);
  const [floor, ceiling] = [idFloor(table.kind, startMs), idFloor(table.kind, endMs)];
  return { table, name: `${table.name}_${digits}`, endMs, floor, ceiling };
}

/** The partition of that name; undefined for the name of another table. */
export function partitionNamed(name: string): Partition | undefined {
  const [, tableName, year, month, day = '01'] = /^(\w+)_(\d{4})(\d\d)(\d\d)?$/.exec(name) ?? [];
  const table = partitionedTables.find((candidate) => candidate.name === tableName);
  const partition = table && partitionAt(table, Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return partition?.name === name ? partition : undefined;
}

/** All partitions of the table from one time to another. */
export function partitionsBetween(table: PartitionedTable, fromMs: number, toMs: number): Partition[] {
  const found: Partition[] = [];
  for (let ms = fromMs; ; ) {
    const partition = partitionAt(table, ms);
    found.push(partition);
    if (partition.endMs > toMs) return found;
    ms = partition.endMs;
  }
}

export const partitionsAhead = (nowMs: number): Partition[] =>
  partitionedTables.flatMap((table) => partitionsBetween(table, nowMs, nowMs + aheadDays * dayMs));

/**
 * The partitions in which rows with this id belong.
 * @throws Error for what is no id of a partitioned table
 */
export function partitionsOf(id: string): Partition[] {
  const tables = partitionedTables.filter(({ kind }) => isId(kind, id));
  if (tables.length === 0) throw new Error(`No table has a partition for "${id}".`);
  return tables.map((table) => partitionAt(table, idTimeMs(id)));
}

export const isExpired = ({ table, endMs }: Partition, nowMs: number): boolean =>
  endMs + table.keepDays * dayMs <= nowMs;

/**
 * Two statements that make a partition. A table that is made first and attached then takes no lock for which writers
 * would wait, other than `create table … partition of`.
 */
export const makePartition = ({ table, name, floor, ceiling }: Partition): string =>
  `create table if not exists ${name} (like ${table.name} including all);
   alter table ${table.name} attach partition ${name} for values from ('${floor}') to ('${ceiling}')`;
