import { DomainError } from '@app/contracts/errors';
import { expect, test } from 'vitest';
import { checkIdempotencyKey, disposalOf, retryAfterSeconds } from './idempotency.rules.ts';

test.each(['a', '!~', 'x'.repeat(255), '0b9e6a50-6a5e-4a56-bb9b-000000000000'])('%s is a key', (key) => {
  expect(() => checkIdempotencyKey(key)).not.toThrow();
});

test.each(['', ' ', 'a b', 'a, b', 'é', 'x'.repeat(256), 'a\u0000', 'a\n'])('%j is none', (key) => {
  expect(() => checkIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'invalid_idempotency_key' }));
});

test.each([
  ['product_not_live', false, 'deleteRecord'],
  ['slug_taken', true, 'deleteRecord'],
  ['order_not_found', false, 'deleteRecord'],
  ['validation_failed', false, 'deleteRecord'],
  ['insufficient_scope', false, 'deleteRecord'],
  ['rate_limited', false, 'deleteRecord'],
  ['service_unavailable', false, 'deleteRecord'],
  ['service_unavailable', true, 'endLease'],
  ['outcome_unknown', false, 'endLease'],
  ['internal', false, 'endLease'],
] as const)('after %s, retried %s: %s', (code, retried, disposal) =>
  expect(disposalOf(new DomainError(code, ''), retried)).toBe(disposal),
);

test.each([
  ['has just begun', 29.9, 1],
  ['has been at work for 8 s', 22, 8],
  ['has 4 s left', 4, 4],
  ['is about to be taken over', 0.01, 1],
])('a request that %s: retry later by as much', (_, leaseLeftSeconds, seconds) => {
  expect(retryAfterSeconds(leaseLeftSeconds)).toBe(seconds);
});

test('after a fault of an unknown kind: endLease', () => expect(disposalOf(new Error('bug'), false)).toBe('endLease'));
