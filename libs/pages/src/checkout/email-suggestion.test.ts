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
  // Providers whose names are close to those of others.
  'ada@yahoo.co.jp',
  'ada@yahoo.com.br',
  'ada@yahoo.ca',
  'ada@hotmail.it',
  'ada@hotmail.com.ar',
  'ada@hotmail.be',
  'ada@outlook.at',
  'ada@outlook.es',
  'ada@live.ca',
  'ada@mail.ru',
  'ada@mail.de',
  'ada@email.com',
  'ada@gmal.de',
  'ada@rocketmail.com',
  'ada@aol.de',
  'ada@msn.cn',
  'ada@orange.es',
  'ada@free.de',
  'ada@126.com',
  'ada@pm.com',
  'ada@me.co',
  'ada@mac.de',
  'ada@web.com',
])('%s is left as it is', (typed) => {
  expect(suggestEmail(typed)).toBeNull();
});
