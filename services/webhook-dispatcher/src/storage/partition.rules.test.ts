import { dayMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import {
  isExpired,
  type PartitionedTable,
  partitionAt,
  partitionNamed,
  partitionsAhead,
  partitionsBetween,
  partitionsOf,
} from './partition.rules.ts';

const at = (text: string) => Date.parse(text);
const days: PartitionedTable = { name: 'event_bodies', kind: 'event', unit: 'day', keepDays: 30 };
const months: PartitionedTable = { name: 'events', kind: 'event', unit: 'month', keepDays: 396 };

test('an id lies in the partition of its time, from the first to the last millisecond of the day or month', () => {
  for (const [table, first, last] of [
    [days, '2026-02-28T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    [months, '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    [months, '2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ] as const) {
    const { floor, ceiling, endMs } = partitionAt(table, at(first));
    expect(partitionAt(table, at(last)).floor).toBe(floor);
    expect(endMs).toBe(at(last) + 1);
    expect(partitionAt(table, endMs).floor).toBe(ceiling);
    // Later first: ids of one process never go back by milliseconds.
    for (const time of [first, last]) {
      const id = newId('event', at(time));
      expect(id >= floor && id < ceiling).toBe(true);
    }
  }
});

test('a partition is known by its name, and no other table is', () => {
  for (const table of [days, months]) {
    const partition = partitionAt(table, at('2026-03-09T10:00:00Z'));
    expect(partitionNamed(partition.name)).toMatchObject({ name: partition.name, floor: partition.floor });
  }
  for (const name of ['events', 'events_20260301', 'event_bodies_202603', 'event_bodies_20261301', 'orders_202603'])
    expect(partitionNamed(name)).toBeUndefined();
});

test('partitions between two times follow each other without a gap', () => {
  const found = partitionsBetween(months, at('2026-11-30T23:00:00Z'), at('2027-02-01T00:00:00Z'));
  expect(found.map(({ name }) => name)).toEqual(['events_202611', 'events_202612', 'events_202701', 'events_202702']);
  for (const [n, { floor }] of found.slice(1).entries()) expect(floor).toBe(found[n]?.ceiling);
});

test('partitions are made three days ahead, a month’s as well', () => {
  const names = partitionsAhead(at('2026-03-29T00:00:00Z')).map(({ name }) => name);
  expect(names).toContain('events_202604');
  expect(names).toContain('event_bodies_20260401');
  expect(names).not.toContain('event_bodies_20260402');
  expect(partitionsAhead(at('2026-03-28T00:00:00Z') - 1).map(({ name }) => name)).not.toContain('events_202604');
});

test('an id has partitions in each table that is partitioned by ids of its kind; anything else is refused', () => {
  const names = partitionsOf(newId('attempt', at('2031-03-09T10:00:00Z'))).map(({ name }) => name);
  expect(names).toEqual(['attempts_203103', 'attempt_responses_20310309']);
  for (const other of [newId('order', at('2031-03-09T10:00:00Z')), 'evt_none', ''])
    expect(() => partitionsOf(other)).toThrow(`"${other}"`);
});

test('a partition is expired when its youngest row may be as old as rows are kept', () => {
  const partition = partitionAt(days, at('2026-03-01T10:00:00Z'));
  expect(isExpired(partition, at('2026-03-02T00:00:00Z') + 30 * dayMs)).toBe(true);
  expect(isExpired(partition, at('2026-03-02T00:00:00Z') + 30 * dayMs - 1)).toBe(false);
});
