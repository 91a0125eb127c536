import { expect, test } from 'vitest';
import { refundedText, refusedText } from './refund-texts.rules.ts';

const sale = { source: 'checkout', test: false, total_cents: 6_400, currency: 'usd', given_back_cents: 6_400 } as const;

test.each([
  [sale, 'The buyer gets $64.00 back.'],
  [{ ...sale, test: true }, 'no money was taken'],
  [{ ...sale, source: 'api', test: true } as const, 'your own code, which took the money'],
  [{ ...sale, source: 'api', given_back_cents: 0 } as const, 'the platform gave nothing back'],
  [{ ...sale, source: 'api', given_back_cents: 1_900 } as const, 'The buyer gets $19.00 of its renewals back.'],
])('the end of a refund says what moves: %o', (of, words) => {
  expect(refundedText(of, 6_400)).toContain(words);
});

test('a refusal says what was given back, of how much, and what to do', () => {
  expect(refusedText(sale, 4_900, 'No balance.')).toBe(
    '$49.00 of $64.00 was given back; the processor refused the other $15.00. It said: No balance. ' +
      'The order counts as paid. Refund it again to try the rest once more: nothing is given back twice.',
  );
  expect(refusedText(sale, 0, null)).toBe(
    'The processor refused the refund of $64.00, and nothing was given back. It gave no reason. ' +
      'Refund the order again to try once more.',
  );
});
