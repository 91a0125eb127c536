import { expect, test } from 'vitest';
import { isMissed, nextStartMs, startMinuteOf } from './start-time.ts';

const at = (time: string): number => Date.parse(`2026-11-29T${time}Z`);

test('a time of day is minutes after midnight, and nothing else is taken for one', () => {
  expect(['00:00', '03:00', '23:59'].map(startMinuteOf)).toEqual([0, 180, 1_439]);
  expect(['3:00', '24:00', '03:60', 'off', '', '03:00:00'].map(startMinuteOf)).toEqual(Array(6).fill(undefined));
});

test('the next start is today until its time has come, and then tomorrow', () => {
  expect(new Date(nextStartMs(at('02:59:59.900'), 180)).toISOString()).toBe('2026-11-29T03:00:00.500Z');
  expect(new Date(nextStartMs(at('03:00:00.500'), 180)).toISOString()).toBe('2026-11-30T03:00:00.500Z');
});

test('a run was missed when one was due since the last one, however long ago, and never without accounts', () => {
  const now = at('10:00:00.000');
  expect(isMissed('2026-11-28T03:00:00.500Z', now, 180)).toBe(true);
  expect(isMissed('2026-11-01T03:00:00.500Z', now, 180)).toBe(true);
  expect(isMissed('2026-11-29T03:00:00.600Z', now, 180)).toBe(false);
  expect(isMissed('2026-11-28T03:00:00.600Z', at('02:00:00.000'), 180)).toBe(false);
  expect(isMissed(undefined, now, 180)).toBe(false);
});
