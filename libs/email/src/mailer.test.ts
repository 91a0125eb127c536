import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EmailMessage, Submission } from './email-transport.ts';
import { createMailer } from './mailer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const message = { id: 'rmd_1' } as EmailMessage;

test('while the mail server is away one message at a time is attempted; the others are skipped with its outcome', async () => {
  let submission: Submission = { outcome: 'unreachable', detail: 'closed' };
  const pending: (() => void)[] = [];
  const transport = { send: () => new Promise<Submission>((resolve) => pending.push(() => resolve(submission))) };
  const mailer = createMailer(transport);
  const endAll = () => pending.splice(0).forEach((end) => void end());
  const skipped = { ...submission, isSkipped: true };

  const first = mailer.send(message);
  await vi.advanceTimersByTimeAsync(0);
  endAll();
  expect(await first).toEqual(submission);
  expect(await mailer.send(message)).toEqual(skipped);

  await vi.advanceTimersByTimeAsync(30_000);
  const probes = [mailer.send(message), mailer.send(message), mailer.send(message)];
  await vi.advanceTimersByTimeAsync(0);
  expect(pending).toHaveLength(1);
  endAll();
  expect(await Promise.all(probes)).toEqual([submission, skipped, skipped]);

  await vi.advanceTimersByTimeAsync(30_000);
  submission = { outcome: 'taken' };
  const back = mailer.send(message);
  await vi.advanceTimersByTimeAsync(0);
  endAll();
  expect(await back).toEqual(submission);
  const both = [mailer.send(message), mailer.send(message)];
  await vi.advanceTimersByTimeAsync(0);
  expect(pending).toHaveLength(2);
  endAll();
  expect(await Promise.all(both)).toEqual([submission, submission]);
});
