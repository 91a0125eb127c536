import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayMs, minuteMs } from '@app/contracts/durations';
import { roundEnded } from '@app/service-kit/background-loop';
import { listen } from '@app/testing/points';
import { expect, onTestFinished, test } from 'vitest';
import { startDailySchedule } from './daily-schedule.ts';

/** Guarantee: nothing that fails once ends the schedule, and each time that was due has one run under one key. */

interface Answers {
  /** Of the list of runs, one for each look; the last one again and again. */
  readonly lists: readonly (string | number)[];
  readonly isCopy?: () => boolean;
}

/** The schedule against a gateway of its own; 05:00 is when it is due. */
async function scheduled({ lists, isCopy = () => false }: Answers) {
  const keys: string[] = [];
  const lines: string[] = [];
  let looks = 0;
  const server = createServer((req, res) => {
    if (req.method === 'POST') {
      keys.push(String(req.headers['idempotency-key']));
      res.end(JSON.stringify({ ok: true }));
      return;
    }
    const answer = lists[Math.min(looks++, lists.length - 1)] ?? '';
    if (typeof answer === 'number') res.writeHead(answer).end();
    else res.end(JSON.stringify({ data: [{ started_at: answer }] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const schedule = startDailySchedule({
    ...{ gatewayUrl: `http://127.0.0.1:${port}`, platformKey: 'key', startMinute: 300, isCopy, everyMs: 20 },
    say: (line) => void lines.push(line),
  });
  onTestFinished(async () => {
    await schedule.close();
    server.closeAllConnections();
    server.close();
  });
  return { keys, lines, looks: () => looks };
}

const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
const today = (): string => new Date(Date.now() - 300 * minuteMs).toISOString().slice(0, 10);

/** So many rounds from now on: one may have begun before. */
const rounds = (count: number) => listen().announced(roundEnded, ({ loop }) => loop === 'daily-job', count);

test('a list that cannot be read is read again, and what was missed is run', async () => {
  const ended = rounds(2);
  const { keys, lines } = await scheduled({ lists: [503, daysAgo(3)] });
  expect(await ended).toMatchObject([{ failed: true }, { failed: false }]);
  expect(keys).toEqual([`daily-${today()}`]);
  expect(lines[0]).toContain('answered with 503');
});

test('a copy that is adopted runs what it missed, once', async () => {
  let copy = true;
  const { keys, looks } = await scheduled({ lists: [daysAgo(3)], isCopy: () => copy });
  await rounds(3);
  expect([keys, looks()]).toEqual([[], 0]);
  copy = false;
  await rounds(4);
  expect([keys.length, looks()]).toEqual([1, 1]);
});
