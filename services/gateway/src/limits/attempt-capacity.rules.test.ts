import { expect, test } from 'vitest';
import { grant } from './attempt-capacity.rules.ts';

const use = (caller: string, amount: number, limit: number) => ({ caller, amount, limit });
const window = (caller: string, taken: number, held: number) => ({ caller, taken, held, window: `${caller} 1` });
const kinds = (...given: Parameters<typeof grant>) => grant(...given).map(({ kind }) => kind);

test('of attempts at the same moment as many are granted as fit, the first ones', () => {
  const request = { uses: [use('a', 1, 10)] };
  const amounts = new Map([['a', 4]]);
  // Seven count, one is under way elsewhere.
  const granted = kinds([request, request, request, request], [window('a', 7, 5)], amounts);
  expect(granted).toEqual(['held', 'held', 'busy', 'busy']);
});

test('what counts for good is full, and names whose it is; what others hold is busy', () => {
  const uses = [use('address', 2, 20), use('account', 1, 200)];
  const amounts = new Map(uses.map(({ caller, amount }) => [caller, amount]));
  const of = (address: [number, number], account: [number, number]) =>
    grant([{ uses }], [window('address', ...address), window('account', ...account)], amounts)[0];
  expect(of([18, 2], [199, 1])).toEqual({ kind: 'held', windows: ['address 1', 'account 1'] });
  expect(of([19, 2], [0, 1])).toEqual({ kind: 'full', caller: 'address' });
  expect(of([0, 2], [200, 1])).toEqual({ kind: 'full', caller: 'account' });
  expect(of([16, 6], [0, 1])).toEqual({ kind: 'busy', caller: 'address' });
});

test('an attempt that one limit keeps out takes nothing of the other', () => {
  const both = { uses: [use('a', 1, 1), use('b', 1, 1)] };
  const second = { uses: [use('b', 1, 1)] };
  const rows = [window('a', 0, 2), window('b', 0, 2)];
  expect(
    kinds(
      [both, second],
      rows,
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    ),
  ).toEqual(['busy', 'held']);
});
