import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AdjustableClock, parseIsoDuration } from './clock.ts';

test('a moved clock keeps running from the instant it was moved to', () => {
  const clock = new AdjustableClock();
  const target = new Date('2031-02-03T04:05:06Z');
  const beforeMs = Date.now();
  clock.moveTo(target);
  const nowMs = clock.nowMs();
  expect(nowMs).toBeGreaterThanOrEqual(target.getTime());
  expect(nowMs - target.getTime()).toBeLessThanOrEqual(Date.now() - beforeMs);
});

test('advances add up, and a reset returns to real time', () => {
  const clock = new AdjustableClock(1_000);
  clock.advance(500);
  clock.advance(-200);
  expect(clock.offsetMs).toBe(1_300);
  expect(Math.abs(clock.now().getTime() - Date.now() - 1_300)).toBeLessThan(900);
  clock.reset();
  expect(clock.offsetMs).toBe(0);
});

test('a clock refuses to move to no instant', () => {
  const clock = new AdjustableClock();
  expect(() => clock.moveTo(new Date('no date'))).toThrow(RangeError);
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
  expect(clock.offsetMs).toBe(0);
});

test.each([
  ['P3D', 259_200_000],
  ['PT1H', 3_600_000],
  ['P1W', 604_800_000],
  ['P1DT2H30M', 95_400_000],
  ['PT0.25S', 250],
  ['PT90M', 5_400_000],
])('%s is %d ms', (text, ms) => {
  expect(parseIsoDuration(text)).toBe(ms);
});

test.each(['', 'P', 'PT', 'P1DT', 'P1M', 'P1Y', '3D', '-P1D', 'P1.5D', 'p1d', 'P1D ', 'P99999999999999W'])(
  'the duration "%s" is refused by name',
  (text) => {
    expect(() => parseIsoDuration(text)).toThrow(RangeError);
    expect(() => parseIsoDuration(text)).toThrow(`"${text}"`);
  },
);

test('a duration is the sum of its parts', () => {
  const part = fc.nat(10_000);
  fc.assert(
    fc.property(part, part, part, part, part, (weeks, days, hours, minutes, seconds) => {
      const ms = parseIsoDuration(`P${weeks}W${days}DT${hours}H${minutes}M${seconds}S`);
      expect(ms).toBe(1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * (days + 7 * weeks)))));
    }),
  );
});
