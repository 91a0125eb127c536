import { expect, test } from 'vitest';
import { createOutboxScan } from './outbox-scan.ts';

test('most scans begin where those of a second ago had come to, and two in each second are of all rows', () => {
  let now = 0;
  const scan = createOutboxScan(() => now);
  const froms: string[] = [];
  for (let n = 1; n <= 40; n += 1) {
    froms.push(scan.from());
    scan.saw(String(n * 100));
    now += 100;
  }
  expect(froms.map((from, n) => (from === '0' ? n : undefined)).filter((n) => n !== undefined && n > 20)).toEqual([
    25, 30, 35,
  ]);
  for (const [n, from] of froms.entries()) {
    // What a scan found less than a second ago is read again.
    expect(Number(from)).toBeLessThanOrEqual(Math.max(0, n - 10) * 100);
    if (n > 20 && from !== '0') expect(Number(from)).toBeGreaterThanOrEqual((n - 20) * 100);
  }
});

test('ids are compared as numbers, and a scan that found nothing moves nothing', () => {
  let now = 0;
  const scan = createOutboxScan(() => now);
  scan.saw('1000');
  scan.saw('999');
  scan.saw(undefined);
  for (const at of [1_000, 2_000, 2_100]) {
    now = at;
    scan.from();
  }
  now = 2_200;
  expect(scan.from()).toBe('1000');
  scan.startOver();
  expect(scan.from()).toBe('0');
});
