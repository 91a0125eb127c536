import { expect, test } from 'vitest';
import { base32, codeAt, otpauthUri, stepOf } from './totp.ts';

/** The secret and the values of RFC 6238, appendix B, whose codes have eight digits: the last six are ours. */
const secret = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i is %s', (seconds, code) => {
  expect(codeAt(secret, Math.floor(seconds / 30))).toBe(code);
  const now = new Date(seconds * 1000);
  expect(stepOf(secret, code, now)).toBe(Math.floor(seconds / 30));
});

test('a code counts for the step before and the one after, and no further', () => {
  const at = (step: number) => stepOf(secret, codeAt(secret, 1_000), new Date(step * 30_000));
  expect([998, 999, 1_000, 1_001, 1_002].map(at)).toEqual([null, 1_000, 1_000, 1_000, null]);
  expect(['', '12345', '1234567', 'abcdef', ' 28708'].map((code) => stepOf(secret, code, new Date(59_000)))).toEqual(
    Array(5).fill(null),
  );
});

test('an app reads the secret in base32 (RFC 4648)', () => {
  expect(['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ]);
  expect(otpauthUri(secret, 'Ada & Co', 'ada@example.com')).toBe(
    'otpauth://totp/Ada%20%26%20Co:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ada%20%26%20Co',
  );
});
