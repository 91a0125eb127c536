import { expect, test } from 'vitest';
import { lineChart } from './line-chart.ts';

const ticksOf = (...values: readonly number[]): (string | undefined)[] => {
  const points = values.map((value, index) => ({ date: `2026-0${index + 1}`, value }));
  const { text } = lineChart({ title: 'T', points, value: String, date: String });
  return [...(text.split('aria-hidden="true">')[1] ?? '').matchAll(/<span>([^<]*)<\/span>/g)].map(([, tick]) => tick);
};

test('a chart of cents or of orders names no part of one', () => {
  expect(ticksOf(0, 0)).toEqual(['0']);
  expect(ticksOf(1, 2)).toEqual(['2', '1', '0']);
  expect(ticksOf(0, 40)).toEqual(['40', '30', '20', '10', '0']);
  expect(ticksOf(0, 0.5)).toContain('0.1');
});

test('the span before is drawn behind as far as it has points, and is a column of the table', () => {
  const points = ['2026-03-01', '2026-03-02', '2026-03-03'].map((date, value) => ({ date, value }));
  const chart = (before?: typeof points) =>
    lineChart({ title: 'Revenue', points, before, value: String, date: (date) => date }).text;
  const drawn = chart(
    [...points, { date: '2026-03-04', value: 99 }].map(({ date, value }) => ({ date, value: value + 5 })),
  );
  expect(drawn).toContain('class="series before"');
  expect(drawn).toContain('<td>2</td><td>7</td>');
  expect(drawn).not.toContain('104');
  expect(chart()).not.toContain('before');
});

test('the axis names the weeks of a month, and each date has its values where the pointer is', () => {
  const october = Array.from({ length: 30 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`);
  const points = october.map((date, day) => ({ date, value: day }));
  const before = points.map(({ date, value }) => ({ date, value: value + 100 }));
  const { text } = lineChart({
    title: 'T',
    points,
    before,
    value: String,
    date: (day) => day,
    dateTick: (day) => day.slice(5),
  });
  const named = [...text.matchAll(/<text[^>]*x="([\d.]+)%"[^>]*>([^<]*)<\/text>/g)].map(([, at, name]) => [
    Number(at),
    name,
  ]);
  expect(named.map(([, name]) => name)).toEqual(['10-05', '10-12', '10-19', '10-26']);
  expect(named[0]).toEqual([Math.round((4 / 29) * 10_000) / 100, '10-05']);
  const shown = [...text.matchAll(/<b>([^<]*)<\/b><span class="now">([^<]*)<\/span><span class="before">([^<]*)</g)];
  expect(shown.map(([, ...values]) => values)).toEqual(
    points.map(({ date, value }) => [date, `${value}`, `${value + 100} before`]),
  );
});
