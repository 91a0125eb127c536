import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { clockSkewMs, deliveriesSince, firstPlace } from './place.rules.ts';

const since = new Date('2026-01-15T12:00:00.000Z');
const later = (ms: number): Date => new Date(since.getTime() + ms);

test('only a recovery of everything looks for events that are older than the endpoint, and only where there may be some', () => {
  expect(firstPlace('all', since, later(1)).phase).toBe('events');
  expect(firstPlace('all', since, later(-clockSkewMs)).phase).toBe('events');
  expect(firstPlace('all', since, later(-clockSkewMs - 1)).phase).toBe('deliveries');
  expect(firstPlace('failed', since, later(1)).phase).toBe('deliveries');
  expect(firstPlace('orders', null, later(1))).toEqual({ phase: 'deliveries', cursor: '' });
});

test('a recovery begins before everything that was made at its time or later, and behind everything earlier', () => {
  for (const [kind, place] of [
    ['event', firstPlace('all', since, since)],
    ['delivery', deliveriesSince(since)],
  ] as const) {
    expect(place.cursor < newId(kind, since.getTime())).toBe(true);
    expect(place.cursor > newId(kind, since.getTime() - 2_000)).toBe(true);
  }
});
