import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSigned } from './signature.ts';

const [nowMs, secret, body] = [1_800_000_000_000, 'whsec_right', Buffer.from('{"id":"evt_1"}')];
const seconds = nowMs / 1_000;
const hmac = (of: string, time: number | string, key = secret) =>
  createHmac('sha256', key).update(`${time}.${of}`).digest('hex');
const header = (time: number | string = seconds, key = secret) => `t=${time},v1=${hmac(body.toString(), time, key)}`;

test('what was signed with the secret fits, whatever signatures stand beside it', () => {
  expect(isSigned(body, header(), secret, nowMs)).toBe(true);
  const other = hmac(body.toString(), seconds, 'whsec_earlier');
  expect(isSigned(body, `t=${seconds},v1=${other},${header().split(',')[1]},v0=abc`, secret, nowMs)).toBe(true);
});

test.each([
  ['another secret', header(seconds, 'whsec_wrong')],
  ['no signature', `t=${seconds}`],
  ['no time', header().split(',')[1] as string],
  ['a time that is none', header('soon')],
  ['a short signature', `t=${seconds},v1=abcd`],
  ['the scheme of test events alone', header().replace('v1=', 'v0=')],
  ['nothing', ''],
])('%s does not fit', (_, given) => {
  expect(isSigned(body, given, secret, nowMs)).toBe(false);
});

test('a byte more or less does not fit', () => {
  expect(isSigned(Buffer.from(`${body} `), header(), secret, nowMs)).toBe(false);
  expect(isSigned(body.subarray(1), header(), secret, nowMs)).toBe(false);
});

test('a signature counts for five minutes, also where clocks differ', () => {
  for (const apart of [-300, 300]) expect(isSigned(body, header(seconds + apart), secret, nowMs)).toBe(true);
  for (const apart of [-600, -301, 301, 600]) {
    expect(isSigned(body, header(seconds + apart), secret, nowMs)).toBe(false);
  }
});
