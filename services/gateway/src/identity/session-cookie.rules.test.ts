import { expect, test } from 'vitest';
import { getSessionToken, writeSessionCookie } from './session-cookie.rules.ts';

const token = 'A'.repeat(43);

test('the session is found among other cookies', () => {
  expect(getSessionToken(`a=1; fnl_session=${token}; b=2`, false)).toBe(token);
  expect(getSessionToken(`fnl_session=${token}`, false)).toBe(token);
});

test.each([
  undefined,
  '',
  ';;;',
  '=',
  'fnl_session',
  'fnl_session=',
  'xfnl_session=abc',
  `fnl_session=${token}x`,
  'fnl_session="a b"',
])('no session in %j', (header) => expect(getSessionToken(header, false)).toBeUndefined());

test('the cookie is kept from scripts and other sites, and from plain HTTP where there is HTTPS', () => {
  expect(writeSessionCookie(token, 60, false)).toBe(`fnl_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`);
  expect(writeSessionCookie(token, 60, true)).toMatch(/; Secure$/);
});

test('under https only a cookie counts that no other host of the domain can set', () => {
  const [cookie = ''] = writeSessionCookie(token, 60, true).split(';');
  expect(cookie).toBe(`__Host-fnl_session=${token}`);
  expect(getSessionToken(cookie, true)).toBe(token);
  expect(getSessionToken(`fnl_session=${token}`, true)).toBeUndefined();
});
