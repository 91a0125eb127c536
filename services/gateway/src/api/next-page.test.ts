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

test('every list that pages is one whose end and last row are found: has_more stands last, and rows begin with their id', () => {
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
    if (last === 'has_more') expect([id, Object.keys(shape.data.element.shape)[0]]).toEqual([id, 'id']);
  }
});
