import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTooDeep, jsonDepthMax } from './json-depth.rules.ts';

const tooDeep = (json: string) => isTooDeep(Buffer.from(json));

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('counts what JSON.parse would nest, whatever stands in its texts', () => {
  void fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'large', maxDepth: 6 }), fc.nat(40), (value, more) => {
      let nested: unknown = value;
      for (let i = 0; i < more; i += 1) nested = i % 2 === 0 ? [nested] : { '"[\\': nested };
      expect(tooDeep(JSON.stringify(nested))).toBe(depthOf(nested) > jsonDepthMax);
    }),
  );
});

test('what is no JSON is left to the parser, unless it is deep', () => {
  for (const text of ['', '"', '"\\', ']]]]', '{"a":', '\\"[']) expect(tooDeep(text)).toBe(false);
  expect(tooDeep('['.repeat(33))).toBe(true);
  expect(tooDeep('[]'.repeat(100))).toBe(false);
});
