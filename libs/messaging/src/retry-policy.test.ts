import { isOutage } from '@app/service-kit/outages';
import { expect, test } from 'vitest';
import { attemptsMax, decide, decideReplay, outagesMax } from './retry-policy.ts';

const outages = [
  Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }),
  Object.assign(new Error('admin shutdown'), { code: '57P01' }),
  Object.assign(new Error('deadlock'), { code: '40P01' }),
  Object.assign(new Error('down'), { code: 'service_unavailable' }),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout expired'),
];

test.each(outages)('an outage (%s) is no fault of the event: it is retried however often', (err) => {
  expect(isOutage(err)).toBe(true);
  expect(decide(err, 1)).toEqual({ kind: 'retry', delayMs: 1_000 });
  expect(decide(err, 1_000)).toEqual({ kind: 'retry', delayMs: 5_000 });
});

test('an event that cannot be read or handled is tried with growing pauses, then given up', () => {
  const err = Object.assign(new Error('violates check'), { code: '23514' });
  expect(isOutage(err)).toBe(false);
  const delays = Array.from({ length: 11 }, (_, index) => decide(err, index + 1));
  expect(delays.map((verdict) => (verdict.kind === 'retry' ? verdict.delayMs / 1_000 : 'dead'))).toEqual([
    1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60,
  ]);
  expect(decide(err, 12)).toEqual({ kind: 'dead-letter' });
});

test('a replay that fails by an outage of more than one event ends the round, however often it was tried', () => {
  for (const err of outages.filter((each) => (each as { code?: string }).code !== '40P01'))
    expect(decideReplay(err, attemptsMax, 1)).toBe('outage');
});

test('a letter that meets a timeout or a deadlock is requested again, and kept after its last attempt', () => {
  for (const code of ['57014', '40P01', '40001']) {
    const err = Object.assign(new Error('slow'), { code });
    expect(decideReplay(err, 1, 1)).toBe('request-again');
    expect(decideReplay(err, attemptsMax - 1, outagesMax - 1)).toBe('request-again');
    expect(decideReplay(err, 1, outagesMax)).toBe('outage');
    expect(decideReplay(err, attemptsMax, 1)).toBe('keep');
  }
});

test('a letter that fails by itself is kept at once', () => {
  expect(decideReplay(new Error('never works'), 1, 0)).toBe('keep');
});
