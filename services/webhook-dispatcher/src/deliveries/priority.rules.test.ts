import { webhookEventNames } from '@app/contracts/webhooks';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addTo,
  countOf,
  hasShare,
  noCounts,
  priorities,
  priorityOf,
  priorityOrder,
  roomFor,
} from './priority.rules.ts';

const priority = fc.constantFrom(...priorityOrder);

test('money goes first; only the synchronisation of emails is no event of money', () => {
  const lower = webhookEventNames.filter((name) => priorityOf(name) !== priorities.money);
  expect(lower).toEqual(['funnel.email.sync']);
  expect(Object.values(priorities).toSorted()).toEqual(priorityOrder);
});

test('however requests begin and end, half of the slots stay free of what is not money, and three quarters of recoveries', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 4, 16, 64, 128), fc.array(priority, { maxLength: 300 }), (slots, wanted) => {
      const counts = noCounts();
      for (const next of wanted) if (hasShare(slots, counts, next)) addTo(counts, next, 1);
      expect(counts[0]).toBeLessThanOrEqual(slots);
      expect(counts[1]).toBeLessThanOrEqual(Math.max(1, slots / 2));
      expect(counts[2]).toBeLessThanOrEqual(Math.max(1, slots / 4));
    }),
    randomRuns(100, 5_000),
  );
});

test('what is held may exceed the room by a sixteenth and two, so that nothing starves; money finds half of it free of all others', () => {
  const wanted = fc.array(fc.record({ priority, count: fc.integer({ min: 1, max: 200 }) }), { maxLength: 50 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 2_048 }), wanted, (whole, list) => {
      const held = noCounts();
      for (const next of list) addTo(held, next.priority, Math.min(next.count, roomFor(whole, held, next.priority)));
      expect(held[0]).toBeLessThanOrEqual(whole + whole / 16 + 2);
      expect(held[1]).toBeLessThanOrEqual(Math.ceil(whole / 2) + whole / 32 + 1);
      for (const lower of [1, 2] as const)
        expect(roomFor(whole, held, lower) + countOf(held, lower)).toBeGreaterThanOrEqual(whole / 32);
    }),
    randomRuns(100, 5_000),
  );
});

test('a full room has none left, and a room for one has no reserve', () => {
  for (const next of priorityOrder) {
    expect(roomFor(0, noCounts(), next)).toBe(0);
    expect(roomFor(1, noCounts(), next)).toBe(1);
    expect(roomFor(1, [1, 0, 0], next)).toBe(0);
  }
  expect(priorityOrder.map((next) => roomFor(256, noCounts(), next))).toEqual([256, 128, 64]);
  expect(priorityOrder.map((next) => roomFor(256, [256, 0, 0], next))).toEqual([0, 8, 8]);
});
