import { expect, test } from 'vitest';
import { sweepDue } from './sweep-due.ts';

const open = { closing: () => false };
const outage = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** Claims the rounds in turn, and notes what was worked on and what failed. */
function sweeping(rounds: number[][], work: (row: number) => void) {
  const left = [...rounds];
  const done: number[] = [];
  const failed: number[] = [];
  const swept = sweepDue(
    open,
    async () => left.shift() ?? [],
    async (row) => {
      done.push(row);
      work(row);
    },
    (_, row) => void failed.push(row),
  );
  return { swept, done, failed };
}

test('a sweep goes on until nothing is due, and a fault keeps no other row waiting', async () => {
  const { swept, done, failed } = sweeping([[1, 2, 3], [4], [5, 6]], (row) => {
    if (row === 2 || row === 4) throw new Error('a fault of its own');
    if (row === 5) throw outage;
  });
  await swept;
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  expect(failed).toEqual([2, 4, 5]);
});

test('three outages in a row end a sweep', async () => {
  const rows = Array.from({ length: 40 }, (_, n) => n);
  const { swept, done } = sweeping([rows.slice(0, 20), rows.slice(20)], (row) => {
    if (row !== 2) throw outage;
  });
  await swept;
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a process that is about to end begins no other row', async () => {
  const done: number[] = [];
  const closing = () => done.length === 2;
  const work = async (row: number) => void done.push(row);
  await sweepDue(
    { closing },
    async () => [1, 2, 3],
    work,
    () => undefined,
  );
  expect(done).toEqual([1, 2]);
});
