import { expect, test } from 'vitest';
import { reasonOf } from './connection.ts';

test.each([
  ['a refusal', new Error('The API key lacks a scope.'), 'The API key lacks a scope.'],
  ['nobody at one address', failed(new Error('connect ECONNREFUSED 127.0.0.1:9')), /: connect ECONNREFUSED 127/],
  ['nobody at several', failed(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), /: ECONNREFUSED$/],
])('%s is told by its reason', (_, err, said) => {
  expect(reasonOf(err)).toMatch(said);
});

function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}
