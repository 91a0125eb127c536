import fc from 'fast-check';
import { resolved, type Schema } from './described-operations.ts';

/** Deep enough for every body of the API; a schema that contains itself ends there. */
const deepest = 6;

/** Each is made once: to make one of a pattern reads all of Unicode, which takes longer than the requests. */
const known = new Map<Schema, fc.Arbitrary<unknown>[]>();

/** Values that the schema allows, small ones first. */
export function valuesOf(given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const byDepth = known.get(schema) ?? [];
  known.set(schema, byDepth);
  byDepth[depth] ??= madeValuesOf(schema, depth);
  return byDepth[depth];
}

function madeValuesOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > deepest) return fc.constant(null);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valuesOf(one, depth + 1)));
  const [all] = schema.allOf ?? [];
  if (all !== undefined) return valuesOf(all, depth + 1);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['null']);
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -100, max: Math.min(schema.maximum ?? 2 ** 31, 2 ** 40) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -100, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 3 } = schema;
      return fc.array(valuesOf(items, depth + 1), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
    }
    case 'object':
      return objectOf(schema, depth);
    default:
      return fc.constant(null);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, one]) => [name, valuesOf(one, depth + 1)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function textOf({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'email') return fc.constantFrom('maya@example.com', 'a.b+c@sub.example.org');
  if (format === 'uri') return fc.constantFrom('https://example.com/hook', 'https://shop.example/a?b=c');
  if (format === 'date-time') return fc.constantFrom('2026-01-31T00:00:00.000Z', '2030-12-31T23:59:59.999Z');
  if (format === 'date') return fc.constantFrom('2026-01-31', '2024-02-29');
  if (pattern !== undefined) return matching(pattern);
  const words = fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
  return maxLength > 1_000 ? words : fc.oneof(words, fc.constant('x'.repeat(maxLength)));
}

const matchingKnown = new Map<string, fc.Arbitrary<string>>();

function matching(pattern: string): fc.Arbitrary<string> {
  const arbitrary = matchingKnown.get(pattern) ?? madeMatching(new RegExp(pattern, 'u'));
  matchingKnown.set(pattern, arbitrary);
  return arbitrary;
}

/** fast-check makes nothing of a lookahead: what is made without it is held against the whole. */
function madeMatching(pattern: RegExp): fc.Arbitrary<string> {
  const without = new RegExp(pattern.source.replaceAll(/\(\?[=!][^)]*\)/g, ''), 'u');
  return fc.stringMatching(without, { size: 'small' }).filter((text) => pattern.test(text));
}

/** What no field of any schema expects, or what only just goes beyond what one allows. */
const hostileValues: readonly unknown[] = [
  ...[null, true, -1, 0, 0.5, 2 ** 53, -(2 ** 63), 1e308, '', ' ', '0', 'null', [], {}, [[]], [null]],
  ...['a\u0000b', '\ud800', '\u202e\u200b', "' or ''='", '{{7*7}}', '<script>alert(1)</script>', '../../etc/passwd'],
  ...[
    'x'.repeat(10_001),
    { constructor: { prototype: {} } },
    { toString: 'x' },
    Array.from({ length: 2_000 }, () => 'x'),
  ],
];

const hostile = fc.constantFrom(...hostileValues);

/** Bodies: as the schema says, or with a field that is left out, added or of a hostile value. */
export const bodiesOf = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: valuesOf(schema) },
    { weight: 6, arbitrary: fc.tuple(valuesOf(schema), fc.nat(), hostile, fc.constantFrom(...changes)).map(changed) },
    { weight: 1, arbitrary: hostile },
  );

const changes = ['replace', 'remove', 'add'] as const;

/** The same with one field changed, of those that are deeper too. */
function changed([value, at, replacement, change]: [unknown, number, unknown, (typeof changes)[number]]): unknown {
  const places = placesIn(value);
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return replacement;
  const copy = structuredClone(value);
  const parent = place.slice(0, -1).reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], copy);
  const fields = parent as Record<string, unknown>;
  const name = place.at(-1) ?? '';
  if (change === 'remove') delete fields[name];
  else fields[change === 'add' ? `${name}X` : name] = replacement;
  return copy;
}

function placesIn(value: unknown, from: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [[...from, name], ...placesIn(one, [...from, name])]);
}

/** A value of a path or a query, as text. */
export const textsOf = (schema: Schema): fc.Arbitrary<string> =>
  fc.oneof(
    valuesOf(schema).map(String),
    hostile.map((value) => String(JSON.stringify(value) ?? value).slice(0, 500)),
  );
