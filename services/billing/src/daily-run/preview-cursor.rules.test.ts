import { expect, test } from 'vitest';
import { type Cursor, cursorOf, writeCursor } from './preview-cursor.rules.ts';

test.each<Cursor>([
  { kind: 'look_up', id: 'pmt_1' },
  { kind: 'settlement', id: '' },
  { kind: 'settlement', id: 'ord_1' },
  { kind: 'cancellation', id: 'sub_1' },
  { kind: 'charge', id: '', dueAt: null },
  { kind: 'charge', id: 'sub_1', dueAt: new Date('2026-03-15T12:00:00.123Z') },
])('a cursor comes back as it was given: %o', (cursor) => {
  expect(cursorOf(writeCursor(cursor) ?? undefined)).toEqual(cursor);
});

test('the end has no cursor, and no cursor is the beginning', () => {
  expect(writeCursor({ kind: 'end' })).toBeNull();
  expect(cursorOf(undefined)).toEqual({ kind: 'look_up', id: '' });
  expect(cursorOf('end')).toEqual({ kind: 'end' });
});

test.each([
  '',
  'x',
  'charge.sub_1',
  'charge.sub_1.x',
  'charge..5',
  'charge.sub_1.1.2',
  'look_up.pmt_1.5',
  'charge.sub_1.9e99',
  "look_up.'",
])('what no page gave is refused: %s', (after) => {
  expect(() => cursorOf(after)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});
