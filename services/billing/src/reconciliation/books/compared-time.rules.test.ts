import { expect, test } from 'vitest';
import { timeToCompare } from './compared-time.rules.ts';

const at = (time: string): Date => new Date(`2026-03-${time}:00Z`);
const compared = (before: Partial<Parameters<typeof timeToCompare>[0]>, now: string) => {
  const none = { since: at('10T08:00'), explained_until: null, recompared_at: null };
  const { listFromMs, fromMs, ...rest } = timeToCompare({ ...none, ...before }, at(now));
  return { list: new Date(listFromMs), from: new Date(fromMs), ...rest };
};
const explained = { explained_until: at('10T08:00'), recompared_at: at('10T08:00') };

test('the first comparison of a UTC day has three days and a list of four', () => {
  const whole = { list: at('07T01:00'), from: at('08T01:00'), recompares: true, isWhole: true };
  expect(compared(explained, '11T01:00')).toEqual(whole);
});

test('what was compared last is compared again after a long time, whatever was explained', () => {
  expect(compared({ ...explained, since: at('02T08:00') }, '10T09:00').isWhole).toBe(false);
  expect(compared({ ...explained, since: at('02T08:00') }, '20T09:00').from).toEqual(new Date('2026-02-28T08:00:00Z'));
});

test('a comparison after one that explained less than everything is whole', () => {
  expect(compared({ recompared_at: at('10T08:00') }, '10T09:00').isWhole).toBe(true);
});

test('a later comparison of the day begins where the last one ended, within an hour of one that compared again', () => {
  const short = { list: at('10T08:40'), from: at('10T08:40'), recompares: false, isWhole: false };
  expect(compared({ ...explained, explained_until: at('10T08:40') }, '10T08:59')).toEqual(short);
});

test('an hour later it compares an hour before the last that did, and the list begins before that', () => {
  const back = { list: at('10T06:45'), from: at('10T07:00'), recompares: true, isWhole: false };
  expect(compared({ ...explained, explained_until: at('10T08:40') }, '10T09:00')).toEqual(back);
});

test('a clock that was put back compares anew', () => {
  expect(compared({ ...explained, explained_until: at('10T08:40') }, '10T08:30').isWhole).toBe(true);
});
