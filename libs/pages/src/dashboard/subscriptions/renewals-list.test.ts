import { expect, test } from 'vitest';
import { paymentOf, subscription } from '../../../test/gallery/dashboard-orders-samples.ts';
import { formatsFor } from '../../formats.ts';
import { renewalsList } from './renewals-list.ts';

const away = 'The bank wants the buyer to confirm, and the buyer is away.';
const again = 'The subscription shows when it is tried again. A new card is tried by the next daily run.';
const failed = (tryNo: number, why: string) =>
  paymentOf({
    ...{ step: 'renewal', status: 'declined', try_no: tryNo, amount_cents: 1_200, next: again },
    explanation: `$12.00 not charged to the saved card for the renewal of the subscription. ${why}`,
    created_at: `2026-11-2${tryNo}T12:00:00.000Z`,
  });
const shown = (status: 'past_due' | 'canceled', payments: ReturnType<typeof failed>[]): string =>
  renewalsList(
    { ...subscription, status, failed_tries: payments.length, periods: [], payments, card_change: null },
    formatsFor('en-US'),
  )
    .text.replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const times = (text: string, sentence: string): number => text.split(sentence).length - 1;

test('each failed try of a renewal is one short line, and what the head of the subscription says stands there alone', () => {
  const text = shown('past_due', [failed(3, away), failed(2, 'The card has expired.'), failed(1, away)]);
  for (const line of ['Try 3 of $12.00', 'Try 2 of $12.00', 'Try 1 of $12.00']) expect(times(text, line)).toBe(1);
  expect(times(text, 'The card has expired.')).toBe(1);
  for (const sentence of [away, again, 'not charged']) expect(times(text, sentence)).toBe(0);
});

test('after the end the reason of several tries is said once', () => {
  const text = shown('canceled', [failed(4, away), failed(3, away), failed(2, away), failed(1, away)]);
  expect(text).toMatch(/Try 4 of \$12\.00 .*Try 3 of \$12\.00 .*Try 2 of \$12\.00 .*Try 1 of \$12\.00/);
  expect(times(text, away)).toBe(1);
});
