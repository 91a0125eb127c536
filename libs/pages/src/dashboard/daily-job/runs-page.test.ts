import type { DailyResult } from '@app/contracts/daily-runs';
import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import { doneText } from './runs-page.ts';

const result: DailyResult = {
  ok: true,
  rebills: { charged: 3, chargedCents: 3_600, retried: 0, canceled: 0 },
  recovery: { sent: 0, recovered: 0 },
  holdsSettled: 0,
  chargedByCurrency: { eur: 3_600 },
  blocked: 0,
  waiting: 0,
  problems: [],
};

test('a run says how many renewals were declined beside those that it charged', () => {
  const formats = formatsFor('en-US');
  expect(doneText({ result: { ...result, declined: 1 } }, formats)).toBe('3 charged, 1 declined');
  expect(doneText({ result }, formats)).toBe('3 charged');
});

test('one of a kind is said in the singular', () => {
  const formats = formatsFor('en-US');
  const rebills = { charged: 0, chargedCents: 0, retried: 0, canceled: 0 };
  const did = (count: number) => ({ ...result, rebills, holdsSettled: count, recovery: { sent: count, recovered: 0 } });
  expect(doneText({ result: did(1) }, formats)).toBe('1 held order settled, 1 reminder');
  expect(doneText({ result: did(2) }, formats)).toBe('2 held orders settled, 2 reminders');
});
