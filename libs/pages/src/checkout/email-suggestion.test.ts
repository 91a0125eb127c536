import { expect, test } from 'vitest';
import { suggestEmail } from './email-suggestion.ts';

test.each([
  ['ada@gmial.com', 'ada@gmail.com'],
  ['ada@gmail.con', 'ada@gmail.com'],
  ['ada@gmal.com', 'ada@gmail.com'],
  ['a.b@GMAIL.CO', 'a.b@gmail.com'],
  ['ada@hotmial.com', 'ada@hotmail.com'],
  ['ada@outlok.com', 'ada@outlook.com'],
  ['ada@iclud.com', 'ada@icloud.com'],
  ['ada@gmx.dee', 'ada@gmx.de'],
])('%s is probably %s', (typed, meant) => {
  expect(suggestEmail(typed)).toBe(meant);
});

test.each([
  'ada@gmail.com',
  'ada@mail.com',
  'ada@example.com',
  'ada@lovelace.org',
  'ada@x.de',
  '@gmial.com',
  'ada',
  'ada@',
  'ada@gmx.ch',
])('%s is left as it is', (typed) => {
  expect(suggestEmail(typed)).toBeNull();
});
