import { expect, test } from 'vitest';
import { failureText } from './failure.rules.ts';

test('an unknown error is shown as it is: on one line, with its code, cut at 300 characters', () => {
  expect(failureText(Object.assign(new Error('odd\u0000\n\u001b[31mthing'), { code: 'HPE_ODD' }))).toBe(
    'HPE_ODD: odd [31mthing',
  );
  expect(failureText(new Error('x'.repeat(1_000)))).toHaveLength(300);
  expect(failureText('text')).toBe('text');
});
