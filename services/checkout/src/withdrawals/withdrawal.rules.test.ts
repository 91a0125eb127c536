import { expect, test } from 'vitest';
import { boughtKey, idsIn, isLate, type MeantOrder, orderMeant } from './withdrawal.rules.ts';

const ids = ['ord_01k3m9a2d8e4tb0wq3y6c9f2h4', 'ord_01k3m9a2d8e4tb0wq3y6c9f2h5', 'ord_01k3m9a2d8e4tb0wq3y6c9f2h6'];
const order = (no: 0 | 1 | 2, change: Partial<MeantOrder> = {}): MeantOrder => ({
  id: ids[no] as string,
  productId: 'prd_1',
  labels: ['Sourdough Course', 'The workbook'],
  status: 'paid',
  test: false,
  createdAt: new Date('2026-08-26T09:31:16.305Z'),
  ofAddress: true,
  ...change,
});
const [newest, middle, oldest] = [order(0), order(1), order(2)];
const meant = (bought: string, orders: readonly MeantOrder[]) => orderMeant(bought, orders)?.id ?? null;

test('an order is meant by its whole id, whoever bought it', () => {
  const foreign = order(1, { ofAddress: false });
  expect(meant(`Order ${foreign.id.toUpperCase()}.`, [newest, foreign])).toBe(foreign.id);
  expect(idsIn(`order ${foreign.id}, ${newest.id}`)).toEqual([foreign.id, newest.id]);
});

test('a short number finds only what was bought with the address', () => {
  expect(meant('#Y6C9F2H5', [newest, middle])).toBe(middle.id);
  expect(meant('y6c9f2h5', [newest, order(1, { ofAddress: false })])).toBe(newest.id);
  expect(meant('y6c9f2h5', [newest, oldest, order(1, { ofAddress: false })])).toBeNull();
});

test('a name finds the latest order that was not given back', () => {
  const other = order(0, { labels: ['The kiln club'] });
  expect(meant('sourdough  COURSE', [other, middle, oldest])).toBe(middle.id);
  expect(meant('the sourdough course of August', [other, order(1, { status: 'refunded' }), oldest])).toBe(oldest.id);
  expect(meant('workbook', [other, order(1, { status: 'refunded' })])).toBe(middle.id);
});

test('what names nothing means the only order of the address, or none', () => {
  expect(meant('my purchase', [newest])).toBe(newest.id);
  expect(meant('my purchase', [newest, middle])).toBeNull();
  expect(meant('my purchase', [])).toBeNull();
  expect(meant('my purchase', [order(0, { test: true }), middle])).toBe(middle.id);
  expect(meant('my purchase', [order(0, { test: true })])).toBe(newest.id);
});

test('what is written differently is the same', () => {
  expect(boughtKey(' Sourdough–Course  no. 1')).toBe(boughtKey('sourdough course No 1'));
  expect(boughtKey('!!')).toBe('!!');
});

test('the last day counts to its end', () => {
  const ordered = new Date('2026-08-01T23:59:59.999Z');
  expect(isLate(ordered, new Date('2026-08-15T23:59:59.999Z'), 14)).toBe(false);
  expect(isLate(ordered, new Date('2026-08-16T00:00:00.000Z'), 14)).toBe(true);
});
