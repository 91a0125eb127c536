import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayMs, minuteMs } from '@app/contracts/durations';
import { roundEnded } from '@app/service-kit/background-loop';
import { listen } from '@app/testing/points';
import { expect, onTestFinished, test } from 'vitest';
import type { Outcome } from './call-daily-job.ts';
import { startDailySchedule } from './daily-schedule.ts';

/** Guarantee: nothing that fails once ends the schedule, and each time that was due has one run under one key. */

interface Answers {
  /** Of the list of runs, one for each look: when the last run began, or a status; the last one again and again. */
  readonly lists: readonly (string | number | null)[];
  /** When the first account was made. */
  readonly dueSince?: string;
  /** Of requests for a run, the last one again and again; each runs it unless given. */
  readonly runs?: readonly number[];
  readonly isCopy?: () => boolean;
}

/** The schedule against a gateway of its own; 05:00 is when it is due. */
async function scheduled({ lists, dueSince, runs = [200], isCopy = () => false }: Answers) {
  const keys: string[] = [];
  const lines: string[] = [];
  const outcomes: Outcome[] = [];
  let looks = 0;
  const server = createServer((req, res) => {
    if (req.method === 'POST') {
      const status = runs[Math.min(keys.length, runs.length - 1)] ?? 200;
      keys.push(String(req.headers['idempotency-key']));
      res.writeHead(status).end(JSON.stringify({ ok: true }));
      return;
    }
    const answer = lists[Math.min(looks++, lists.length - 1)] ?? null;
    if (typeof answer === 'number') return void res.writeHead(answer).end();
    const data = answer === null ? [] : [{ started_at: answer }];
    res.end(JSON.stringify({ data, due_since: dueSince ?? null }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const schedule = startDailySchedule({
    ...{
      gatewayUrl: `http://127.0.0.1:${port}`,
      key: 'key',
      startMinute: lastDue.getUTCHours() * 60 + lastDue.getUTCMinutes(),
      isCopy,
      everyMs: 20,
    },
    say: (line) => void lines.push(line),
    ended: (outcome) => void outcomes.push(outcome),
  });
  onTestFinished(async () => {
    await schedule.close();
    server.closeAllConnections();
    server.close();
  });
  return { keys, lines, outcomes, looks: () => looks };
}

const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
/** Twelve hours away in both directions: no test meets the next. */
const lastDue = new Date(Math.floor(Date.now() / minuteMs) * minuteMs - dayMs / 2);
const dueKey = `daily-${lastDue.toISOString().slice(0, 16)}`;

/** So many rounds from now on: one may have begun before. */
const rounds = (count: number) => listen().announced(roundEnded, ({ loop }) => loop === 'daily-job', count);

test('a list that cannot be read is read again, and what was missed is run', async () => {
  const ended = rounds(2);
  const { keys, lines } = await scheduled({ lists: [503, daysAgo(3)] });
  expect(await ended).toMatchObject([{ failed: true }, { failed: false }]);
  expect(keys).toEqual([dueKey]);
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

test('a run that was refused is requested again, under the same key, until it has run', async () => {
  const ended = rounds(4);
  const { keys, outcomes } = await scheduled({ lists: [daysAgo(3)], runs: [401, 422, 200] });
  await ended;
  expect(outcomes).toEqual(['refused', 'refused', 'ran']);
  expect(keys).toEqual(Array(3).fill(dueKey));
});

test('a key that the gateway refuses is reported before a run is due', async () => {
  const ended = rounds(2);
  const { keys, outcomes } = await scheduled({ lists: [401, daysAgo(3)] });
  await ended;
  expect(outcomes).toEqual(['refused', 'ran']);
  expect(keys).toHaveLength(1);
});

test('where none ever ran, a time that was due since the first account was made is made up', async () => {
  const ended = rounds(2);
  const { keys } = await scheduled({ lists: [null], dueSince: daysAgo(3) });
  await ended;
  expect(keys).toEqual([dueKey]);
});

test.each([
  ['without accounts', undefined],
  ['where the first account was made since', daysAgo(0)],
])('no run is missed %s', async (_, made) => {
  const ended = rounds(2);
  const { keys, looks } = await scheduled({ lists: [null], ...(made !== undefined && { dueSince: made }) });
  await ended;
  expect([keys, looks()]).toEqual([[], 1]);
});
