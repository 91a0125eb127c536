import { expect, test } from 'vitest';
import { failureWords } from './failure.rules.ts';

test('what is not known is told as it is: on one line, with its code, and not at any length', () => {
  expect(failureWords(Object.assign(new Error('odd\u0000\n\u001b[31mthing'), { code: 'HPE_ODD' }))).toBe(
    'HPE_ODD: odd [31mthing',
  );
  expect(failureWords(new Error('x'.repeat(1_000)))).toHaveLength(300);
  expect(failureWords('text')).toBe('text');
});
