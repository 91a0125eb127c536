import { expect, test } from 'vitest';
import { digestOfOrigin } from './login-origin.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const isSame = (one: [string, string?], other: [string, string?]): boolean => {
  const [first, second] = [one, other].map(([address, userAgent]) => digestOfOrigin({ address, userAgent }));
  return first?.equals(second as Buffer) ?? false;
};

test('a browser stays the one it is with its next version and in the next addresses of its network', () => {
  expect(isSame(['192.0.2.1', firefox], ['192.0.77.9', firefox.replaceAll('140', '141')])).toBe(true);
  expect(isSame(['192.0.2.1', firefox], ['::ffff:192.0.2.1', firefox])).toBe(true);
  expect(isSame(['2001:db8:1:2', firefox], ['2001:db8:7:8', firefox])).toBe(true);
  expect(isSame(['192.0.2.1'], ['192.0.2.1', ''])).toBe(true);
});

test('another browser, another network and another family of addresses are others', () => {
  expect(isSame(['192.0.2.1', firefox], ['192.0.2.1', 'curl/8.5.0'])).toBe(false);
  expect(isSame(['192.0.2.1', firefox], ['192.1.2.1', firefox])).toBe(false);
  expect(isSame(['2001:db8:1:2', firefox], ['2001:db9:1:2', firefox])).toBe(false);
  expect(isSame(['192.0.2.1', firefox], ['2001:db8:1:2', firefox])).toBe(false);
});
