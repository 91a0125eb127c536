import { expect, test } from 'vitest';
import { lineChart } from './line-chart.ts';

const ticksOf = (...values: readonly number[]): (string | undefined)[] => {
  const points = values.map((value, index) => ({ date: `2026-0${index + 1}`, value }));
  const { text } = lineChart({ title: 'T', points, value: String, date: String });
  return [...(text.split('aria-hidden="true">')[1] ?? '').matchAll(/<span>([^<]*)<\/span>/g)].map(([, tick]) => tick);
};

test('a chart of cents or of orders names no part of one', () => {
  expect(ticksOf(0, 0)).toEqual(['1', '0']);
  expect(ticksOf(1, 2)).toEqual(['2', '1', '0']);
  expect(ticksOf(0, 40)).toEqual(['40', '30', '20', '10', '0']);
  expect(ticksOf(0, 0.5)).toContain('0.1');
});
