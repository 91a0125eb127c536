import { expect, test } from 'vitest';
import { parseInput } from './validation.ts';
import { updateWebhookEndpointBody } from './webhooks.ts';

const parse = (headers: unknown) => parseInput(updateWebhookEndpointBody, { headers });
const errorsOf = (headers: unknown) => {
  try {
    parse(headers);
  } catch (err) {
    return (err as { errors: { field: string; message: string }[] }).errors.map(({ field, message }) => [
      field,
      message,
    ]);
  }
  return [];
};

test('own headers are taken as they are written', () => {
  const headers = { Authorization: 'Bearer a.b-c', 'x-api_key': 'two words', 'X-Empty': '' };
  expect(parse(headers)).toEqual({ headers });
  expect(parse({})).toEqual({ headers: {} });
});

test.each([
  'Webhook-Id',
  'webhook-signature',
  'X-Service-Event',
  'svix-id',
  'HOST',
  'Content-Length',
  'content-type',
  'Transfer-Encoding',
  'connection',
  'Expect',
  'Proxy-Authorization',
  'Cookie',
  'x-forwarded-for',
  'X-HTTP-Method-Override',
  'User-Agent',
  'traceparent',
])('the header %s is reserved, and the error names it', (name) => {
  expect(errorsOf({ 'x-api-key': 'fine', [name]: 'x' })).toEqual([
    [`headers.${name}`, 'has a name that is reserved: choose another name'],
  ]);
});

test.each([
  ['a line break', 'a\r\nHost: evil.example'],
  ['a bare line feed', 'a\nb'],
  ['NUL', 'a\u0000'],
  ['another control character', 'a\u007fb'],
  ['a letter beyond ASCII', 'é'],
  ['a lone surrogate', '\ud800'],
  ['a space in front', ' a'],
  ['a space at the end', 'a '],
])('a value with %s is refused', (_, value) => {
  expect(errorsOf({ 'x-api-key': value })).toEqual([['headers.x-api-key', 'must be printable ASCII']]);
});

test.each(['', 'x y', 'x:', 'x\r\ny', 'ключ', 'a\u0000', '"x"'])('%j is no name of a header', (name) => {
  const message = 'has a name that must consist of ASCII letters, digits, hyphens, underscores and dots';
  expect(errorsOf({ [name]: 'x' })).toEqual([[`headers.${name}`, message]]);
});

test('a header is named once, whatever its case, and there are at most 10', () => {
  expect(errorsOf({ 'X-Key': '1', 'x-key': '2' })).toEqual([['headers', 'must name each header once']]);
  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`x-${n}`, '1']));
  expect(errorsOf(eleven)).toEqual([['headers', 'must have at most 10 headers']]);
  expect(errorsOf({ 'x-key': 'a'.repeat(2_001) })).toEqual([['headers.x-key', 'must be at most 2000 characters long']]);
});

test('headers that are no object of texts are refused', () => {
  expect(errorsOf([])).toEqual([['headers', 'must be an object']]);
  expect(errorsOf({ 'x-key': 5 })).toEqual([['headers.x-key', 'must be a string']]);
});

test('a header named __proto__ is refused, and not left out without a word', () => {
  expect(errorsOf(JSON.parse('{"x-a":"1","__proto__":"1"}'))).toEqual([
    ['headers.__proto__', 'is reserved: choose another name'],
  ]);
  expect(errorsOf(null)).not.toEqual([]);
});
