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
  ['product_not_live', 'store'],
  ['order_not_found', 'store'],
  ['slug_taken', 'store'],
  ['validation_failed', 'forget'],
  ['insufficient_scope', 'forget'],
  ['rate_limited', 'forget'],
  ['service_unavailable', 'release'],
  ['outcome_unknown', 'release'],
  ['internal', 'release'],
] as const)('after %s: %s', (code, disposal) => expect(disposalOf(new DomainError(code, ''))).toBe(disposal));

test.each([
  ['has just begun', 29.9, 1],
  ['has been at work for 8 s', 22, 8],
  ['has 4 s left', 4, 4],
  ['is about to be taken over', 0.01, 1],
])('a request that %s: ask again later by as much', (_, leaseLeftSeconds, seconds) => {
  expect(retryAfterSeconds(leaseLeftSeconds)).toBe(seconds);
});

test('after a fault that nobody foresaw: release', () => expect(disposalOf(new Error('bug'))).toBe('release'));
