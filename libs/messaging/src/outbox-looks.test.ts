import { expect, test } from 'vitest';
import { createLooks } from './outbox-looks.ts';

test('most looks begin where those of a second ago had come to, and two in each second are at all rows', () => {
  let now = 0;
  const looks = createLooks(() => now);
  const froms: string[] = [];
  for (let n = 1; n <= 40; n += 1) {
    froms.push(looks.from());
    looks.saw(String(n * 100));
    now += 100;
  }
  expect(froms.map((from, n) => (from === '0' ? n : undefined)).filter((n) => n !== undefined && n > 20)).toEqual([
    25, 30, 35,
  ]);
  for (const [n, from] of froms.entries()) {
    // What a look found less than a second ago is looked at again.
    expect(Number(from)).toBeLessThanOrEqual(Math.max(0, n - 10) * 100);
    if (n > 20 && from !== '0') expect(Number(from)).toBeGreaterThanOrEqual((n - 20) * 100);
  }
});

test('ids are compared as numbers, and a look that found nothing moves nothing', () => {
  let now = 0;
  const looks = createLooks(() => now);
  looks.saw('1000');
  looks.saw('999');
  looks.saw(undefined);
  for (const at of [1_000, 2_000, 2_100]) {
    now = at;
    looks.from();
  }
  now = 2_200;
  expect(looks.from()).toBe('1000');
  looks.startOver();
  expect(looks.from()).toBe('0');
});
