import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import {
  countOfRange,
  type LostDelivery,
  missingFrom,
  type Range,
  remadeAs,
  takeRanges,
} from './conservation.rules.ts';

const range = fc
  .record({ account: fc.nat(20), low: fc.nat(5_000), count: fc.nat(3_000) })
  .map(({ account, low, count }): Range => ({ accountId: `acc_${account}`, low, high: low + count }));

test('a batch takes the ranges in their order, up to its bound, and says whether anything is left', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), fc.integer({ min: 1, max: 4_000 }), (ranges, eventsMax) => {
      const wanted = ranges.reduce((sum, each) => sum + countOfRange(each), 0);
      const { taken, all } = takeRanges(ranges, eventsMax);
      expect(taken.reduce((sum, each) => sum + countOfRange(each), 0)).toBe(Math.min(wanted, eventsMax));
      for (const [index, each] of taken.entries()) {
        expect(each).toMatchObject({ accountId: ranges[index]?.accountId, low: ranges[index]?.low });
        if (index < taken.length - 1) expect(each.high).toBe(ranges[index]?.high);
      }
      if (all) expect(taken).toEqual(ranges);
      else expect(taken).not.toEqual(ranges);
    }),
    randomRuns(100, 5_000),
  );
});

test('the numbers that no event has are found, however many there are', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.array(fc.boolean(), { maxLength: 200 }), (low, there) => {
      const numbers = there.map((_, index) => low + 1 + index);
      const found = numbers.filter((_, index) => there[index]);
      const missing = missingFrom({ accountId: 'acc', low, high: low + there.length }, found.toReversed());
      expect([...missing, ...found].toSorted((a, b) => a - b)).toEqual(numbers);
    }),
    randomRuns(100, 5_000),
  );
});

const lost: LostDelivery = {
  ...{ isBack: false, eventName: 'order.paid', hasBody: true },
  endpoint: { kind: kindOf('primary'), url: 'https://example.com/hook', events: null },
};
const withoutUrl = { kind: kindOf('primary'), url: null, events: null };
test.each<[string, Partial<LostDelivery>, ReturnType<typeof remadeAs>]>([
  ['it is sent, with the priority of its event', {}, { status: 'pending', priority: 0 }],
  [
    'an automation runs',
    { endpoint: { kind: kindOf('automation'), url: null, events: ['order.paid'] } },
    { status: 'pending', priority: 1 },
  ],
  ['nothing, when it is back', { isBack: true }, null],
  ['nothing, when its event is lost', { eventName: null }, null],
  ['it is canceled with its endpoint', { endpoint: null, hasBody: false }, { status: 'canceled', reason: 'removed' }],
  [
    'it is filtered, when the endpoint does not want it',
    { endpoint: { kind: kindOf('primary'), url: 'https://example.com/hook', events: ['affiliate.paid'] } },
    { status: 'filtered', reason: 'filtered' },
  ],
  ['it is held while there is no URL', { endpoint: withoutUrl }, { status: 'pending', priority: 0 }],
  [
    'it is filtered, when it is a pushed email and there is no URL',
    { eventName: 'funnel.email.sync', endpoint: withoutUrl },
    { status: 'filtered', reason: 'filtered' },
  ],
  ['it is given up, when its body is gone', { hasBody: false }, { status: 'failed', reason: 'expired' }],
])('a lost delivery is made again: %s', (_, change, remade) => {
  expect(remadeAs({ ...lost, ...change })).toEqual(remade);
});
