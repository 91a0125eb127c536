import { expect, test } from 'vitest';
import { pairsOf, refusedKeys, shownValues } from './payments.rules.ts';

const problem = { type: 'about:blank', title: 'No', status: 422, detail: 'Stripe is away.', requestId: 'r' };

test('a pair is sent with what was typed of it, and an empty one is left out', () => {
  const sent = new URLSearchParams({ liveSecretKey: ' sk_live_1 ', livePublishableKey: '', testSecretKey: ' ' });
  expect(pairsOf(sent)).toEqual({ live: { secretKey: 'sk_live_1', publishableKey: '' } });
  const byHand = new URLSearchParams({ testWebhookSecret: 'whsec_1 ' });
  expect(pairsOf(byHand)).toEqual({ test: { secretKey: '', publishableKey: '', webhookSecret: 'whsec_1' } });
  const byPlatform = new URLSearchParams({ testMakesEndpoint: 'on', testSecretKey: 'sk_test_1' });
  expect(pairsOf(byPlatform)).toEqual({ test: { secretKey: 'sk_test_1', publishableKey: '', webhookSecret: null } });
});

test.each([
  { field: 'live.secretKey', at: 'liveSecretKey' },
  { field: 'test.publishableKey', at: 'testPublishableKey' },
  { field: 'live', at: 'liveSecretKey' },
  { field: 'processor', at: 'processor' },
])('an error of $field stands at $at', ({ field, at }) => {
  const errors = [{ field, message: 'is wrong', code: 'wrong' }];
  const refused = refusedKeys({ ...problem, code: 'validation_failed', errors }, ['live']);
  expect(refused.errors).toEqual([{ field: at, message: 'is wrong', code: 'wrong' }]);
});

test.each(['service_unavailable', 'invalid_transition'])('%s is said where keys were typed', (code) => {
  const refused = refusedKeys({ ...problem, code }, ['live', 'test']);
  expect(refused.errors?.map(({ field, message }) => [field, message])).toEqual([
    ['liveSecretKey', 'was not stored. Stripe is away'],
    ['testSecretKey', 'was not stored. Stripe is away'],
  ]);
  expect(refusedKeys({ ...problem, code }, [])).toMatchObject({ errors: [], detail: 'Stripe is away.' });
});

test('a refused form shows no secret again, in whichever field it was typed', () => {
  const values = {
    processor: 'stripe',
    liveSecretKey: 'x',
    livePublishableKey: 'sk_live_1',
    testPublishableKey: 'pk_1',
  };
  expect([...shownValues(new URLSearchParams(values))]).toEqual([
    ['processor', 'stripe'],
    ['testPublishableKey', 'pk_1'],
  ]);
});
