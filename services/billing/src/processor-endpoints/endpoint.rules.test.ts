import { expect, test } from 'vitest';
import type { ListedEndpoint } from '../processors/stripe/stripe-endpoints.ts';
import { isWanted, type Known, nextDelayMs, planEndpoints } from './endpoint.rules.ts';

const url = 'https://shop.example/api/processors/stripe/acc_1';
const wanted = { url, events: ['a', 'b'], apiVersion: 'v2' };
const right: ListedEndpoint = {
  id: 'we_1',
  isMadeForUs: true,
  url,
  events: ['b', 'a'],
  apiVersion: 'v2',
  isEnabled: true,
};
const known: Known = { endpointId: 'we_1', url, holdsSecret: true, isByHand: false };
const nothing: Known = { endpointId: null, url: null, holdsSecret: false, isByHand: false };
const sellers: ListedEndpoint = { ...right, id: 'we_s', isMadeForUs: false };
const elsewhere: ListedEndpoint = { ...right, id: 'we_9', url: 'https://copy.example/api/processors/stripe/acc_1' };

test.each<[string, readonly ListedEndpoint[], Known, readonly string[], { id: string; isRight: boolean } | null]>([
  ['none yet: one is made', [], nothing, [], null],
  ['the one whose secret is known stays', [right], known, [], { id: 'we_1', isRight: true }],
  ['one that was made and not stored goes', [right], nothing, ['we_1'], null],
  ['one of two at our address goes', [{ ...right, id: 'we_2' }, right], known, ['we_2'], { id: 'we_1', isRight: true }],
  ['another address is changed', [right], { ...known, url: 'https://old.example/' }, [], { id: 'we_1', isRight: true }],
  [
    'at its old address it is changed',
    [elsewhere],
    { ...known, endpointId: 'we_9', url: elsewhere.url },
    [],
    { id: 'we_9', isRight: false },
  ],
  ['one that a copy of the database took over stays there', [elsewhere], { ...known, endpointId: 'we_9' }, [], null],
  ['other events are changed', [{ ...right, events: ['a'] }], known, [], { id: 'we_1', isRight: false }],
  ['a disabled one is changed', [{ ...right, isEnabled: false }], known, [], { id: 'we_1', isRight: false }],
  ['one of another version is made anew', [{ ...right, apiVersion: 'v1' }], known, ['we_1'], null],
  ['one without a secret that is known too', [right], { ...known, holdsSecret: false }, ['we_1'], null],
  ['one that the seller made stays', [sellers], nothing, [], null],
  ['that of another deployment stays as it is', [elsewhere], nothing, [], null],
])('%s', (_, listed, has, deleted, kept) => {
  expect(planEndpoints(wanted, url, listed, has)).toEqual({ deleted, kept });
});

test.each([
  [true, 'pending', true],
  [true, 'active', true],
  [true, 'refused', true],
  [true, 'by_hand', false],
  [false, 'active', false],
  [false, 'by_hand', false],
])('an endpoint is wanted for a key in use (%s) whose endpoint is %s: %s', (current, status, wants) => {
  expect(isWanted({ current, status })).toBe(wants);
});

test('where none is wanted ours go, and those of others stay', () => {
  const plan = planEndpoints(null, url, [right, elsewhere, sellers], known);
  expect(plan).toEqual({ deleted: ['we_1'], kept: null });
});

test('with a secret of the seller ours goes, unless it is the only one at our address: then it was rolled', () => {
  const byHand = { ...known, isByHand: true };
  expect(planEndpoints(null, url, [right, sellers], byHand)).toEqual({ deleted: ['we_1'], kept: null });
  expect(planEndpoints(null, url, [right, elsewhere], byHand)).toEqual({ deleted: [], kept: null });
});

test('attempts are further and further apart, up to a day', () => {
  expect([1, 2, 3, 9].map((attempts) => nextDelayMs(attempts) / 60_000)).toEqual([2, 10, 60, 1_440]);
});
