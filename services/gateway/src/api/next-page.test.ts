import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { nextLinkOf, pageParamOf } from './next-page.ts';
import { operations } from './operations/all-operations.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const byId = { param: 'before', by: 'id' } as const;

test('the next page begins after the last row, with the filters and the limit of this one', () => {
  const rows = [{ id: 'ord_2' }, { id: 'ord_1', note: '{"id":"no"}', items: [{ label: 'A', id: 'itm_9' }] }];
  const page = bytes({ data: rows, has_more: true });
  expect(nextLinkOf(byId, '/api/v1/orders?limit=2&email=a%2Bb%40example.com', page)).toBe(
    '</api/v1/orders?limit=2&email=a%2Bb%40example.com&before=ord_1>; rel="next"',
  );
  const later = nextLinkOf(byId, '/api/v1/orders?before=ord_3', page);
  expect(later).toBe('</api/v1/orders?before=ord_1>; rel="next"');
});

test('whatever the rows hold, the page ends with the id of the last one', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('{"id":"no"}', '\\', '"', '\\"', '}', ']', '],"has_more":true}'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      ...[text, fc.integer(), fc.constantFrom(null, true)],
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      fc.record({ id: text, more: tie('value') }),
    ),
  }));
  const row = fc.record({ id: text, items: fc.array(fc.record({ id: text, label: text, of: value })), rest: value });
  // In whatever order a service writes its fields.
  const ordered = row.chain((one) =>
    fc
      .shuffledSubarray(Object.entries(one), { minLength: Object.keys(one).length })
      .map((fields) => Object.fromEntries(fields) as typeof one),
  );
  fc.assert(
    fc.property(fc.array(ordered, { minLength: 1, maxLength: 3 }), (rows) => {
      const link = nextLinkOf(byId, '/x', bytes({ data: rows, has_more: true })) as string;
      expect(new URLSearchParams(link.slice('</x?'.length, link.indexOf('>'))).get('before')).toBe(rows.at(-1)?.id);
    }),
    { numRuns: 1_000 },
  );
});

test('the last page, and a list that is no page, have none', () => {
  for (const page of [{ data: [{ id: 'ord_1' }], has_more: false }, { data: [{ id: 'ord_1' }] }])
    expect(nextLinkOf(byId, '/api/v1/orders', bytes(page))).toBeUndefined();
  expect(nextLinkOf({ param: 'after', by: 'next' }, '/x', bytes({ data: [], next: null }))).toBeUndefined();
});

test('a list with a cursor of its own goes on after it, and the log of events the way it is read', () => {
  expect(nextLinkOf({ param: 'after', by: 'next' }, '/x?limit=1', bytes({ data: [], next: 'a/b' }))).toBe(
    '</x?limit=1&after=a%2Fb>; rel="next"',
  );
  const page = bytes({ data: [{ id: 'evt_1', payload: { event: 'order.paid' } }], has_more: true });
  const forward = { param: 'after', by: 'id' } as const;
  expect(nextLinkOf(forward, '/api/v1/events', page)).toBe('</api/v1/events?after=evt_1>; rel="next"');
  expect(nextLinkOf(forward, '/api/v1/events?order=desc', page)).toBe(
    '</api/v1/events?order=desc&before=evt_1>; rel="next"',
  );
});

test('every list that pages is one whose end and last row are found: has_more stands last, after the rows, and rows have an id', () => {
  const paged = operations.filter((operation) => pageParamOf(operation) !== null);
  expect(paged.length).toBeGreaterThan(15);
  for (const operation of operations) {
    const takesCursor = ['before', 'after'].some((name) => operation.query?.shape[name] !== undefined);
    expect([operation.id, pageParamOf(operation) !== null]).toEqual([operation.id, takesCursor]);
  }
  for (const { id, response } of paged) {
    const { shape } = response as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>;
    const last = Object.keys(shape).at(-1);
    expect([id, last]).toEqual([id, 'next' in shape ? 'next' : 'has_more']);
    if (last === 'has_more')
      expect([id, Object.keys(shape).at(-2), 'id' in shape.data.element.shape]).toEqual([id, 'data', true]);
  }
});
