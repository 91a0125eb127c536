import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { clockSkewMs, deliveriesSince, firstPosition, idBeforeEventMs, spanOf } from './position.rules.ts';

const since = new Date('2026-01-15T12:00:00.000Z');
const later = (ms: number): Date => new Date(since.getTime() + ms);
const span = spanOf(since, later(10 * clockSkewMs));

test('only a recovery of everything searches for events that are older than the endpoint, and only where there may be some', () => {
  expect(firstPosition('all', span, later(1)).phase).toBe('events');
  expect(firstPosition('all', span, later(-clockSkewMs)).phase).toBe('events');
  expect(firstPosition('all', span, later(-clockSkewMs - 1)).phase).toBe('deliveries');
  expect(firstPosition('failed', span, later(1)).phase).toBe('deliveries');
  expect(firstPosition('orders', null, later(1))).toEqual({ phase: 'deliveries', cursor: '' });
});

test('a recovery begins before everything that may have happened at its time or later, and not much earlier', () => {
  for (const [kind, position, earlierMs] of [
    ['event', firstPosition('all', span, since), idBeforeEventMs],
    ['delivery', deliveriesSince(span), clockSkewMs],
  ] as const) {
    expect(position.cursor < newId(kind, since.getTime() - earlierMs)).toBe(true);
    expect(position.cursor > newId(kind, since.getTime() - earlierMs - 2_000)).toBe(true);
  }
});

test('what belongs to a span for sure is far from both of its ends, also by another machine’s clock', () => {
  const { eventsAfter, deliveriesBefore } = span.surely;
  expect(eventsAfter > newId('event', since.getTime() + clockSkewMs - 2_000)).toBe(true);
  expect(deliveriesBefore < newId('delivery', span.before.getTime() - clockSkewMs)).toBe(true);
});
