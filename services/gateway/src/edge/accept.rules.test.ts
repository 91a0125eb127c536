import { expect, test } from 'vitest';
import { acceptsJson } from './accept.rules.ts';

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
])('Accept: %s → %s', (accept, expected) => expect(acceptsJson(accept)).toBe(expected));
