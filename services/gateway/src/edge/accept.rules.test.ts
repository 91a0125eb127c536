import { expect, test } from 'vitest';
import { acceptsType } from './accept.rules.ts';

test.each([
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['application/json', true],
  ['text/html, application/*;q=0.8', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/json, text/event-stream', true],
  ['text/html', false],
  ['application/json;q=0', false],
  ['application/json;q=0, */*', false],
  ['*/*, application/json;q=0', false],
  ['application/*;q=0, */*', false],
  ['application/*;q=0, application/json', true],
  ['*/*;q=0, application/json', true],
  ['text/html;q=0, */*;q=0.1', true],
  ['application/json;q=0.0, text/csv', false],
  ['application/jsonp', false],
])('Accept: %s → %s', (accept, expected) => expect(acceptsType(accept, 'application/json')).toBe(expected));

test.each([
  [undefined, true],
  ['text/html, */*;q=0.8', true],
  ['text/*', true],
  ['text/csv', true],
  ['application/json', false],
  ['text/csv;q=0, */*', false],
])('for a file of text/csv, Accept: %s → %s', (accept, expected) => {
  expect(acceptsType(accept, 'text/csv')).toBe(expected);
});
