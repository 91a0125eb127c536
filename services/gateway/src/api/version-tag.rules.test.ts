import { expect, test } from 'vitest';
import { ifVersionOf, tagOf } from './version-tag.rules.ts';

test.each([
  [undefined, undefined],
  ['*', undefined],
  ['"3"', 3],
  [' "12" ', 12],
  ['"0"', 0],
])('If-Match %j names the version %j', (header, version) => {
  expect(ifVersionOf(header)).toBe(version);
});

test.each(['3', 'W/"3"', '"03"', '""', '"3", "4"', '"a"', '"-1"', '"99999999999"'])(
  'If-Match %j is malformed: no update is made by mistake',
  (header) => {
    expect(() => ifVersionOf(header)).toThrow(expect.objectContaining({ code: 'malformed_request' }));
  },
);

test('the ETag of a resource is what If-Match takes', () => {
  expect(ifVersionOf(tagOf(Buffer.from('{"id":"prd_1","version":7}')))).toBe(7);
});
