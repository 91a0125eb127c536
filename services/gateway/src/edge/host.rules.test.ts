import { expect, test } from 'vitest';
import { hostOfAddress, isOwnHost, parseHost } from './host.rules.ts';

test.each(['shop.example', 'shop.example:3000', 'a_b-c.d', '127.0.0.1:80', '[::1]', '[fe80::1]:3000', 'shop:'])(
  '%s is a host',
  (header) => expect(parseHost(header)).not.toBeNull(),
);

test.each(['', ':1', 'a:b', 'a:65536', 'a/b', 'a@b', 'a b', '[::1', '::1', '1.2.3.4.5', 'a%41', '[1]', 'ä'])(
  '%j is none',
  (header) => expect(parseHost(header)).toBeNull(),
);

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::1', '[::1]'],
])('the address %s is the host %s', (address, host) => expect(hostOfAddress(address)).toBe(host));

test.each([
  ['localhost:3000', '127.0.0.1', true],
  ['LOCALHOST', '::ffff:127.0.0.1', true],
  ['127.0.0.1', '::1', true],
  ['127.0.0.2', '127.0.0.2', true],
  ['shop.localhost', '127.0.0.1', false],
  ['localhost.evil.example', '127.0.0.1', false],
  ['evil.example', '127.0.0.1', false],
  ['localhost', '10.0.0.1', false],
  ['10.0.0.1:3000', '10.0.0.1', true],
  ['10.0.0.2', '10.0.0.1', false],
  ['[2001:DB8::1]', '2001:db8::1', true],
])('without a public address %s at %s is ours: %s', (header, address, expected) => {
  expect(isOwnHost(header, null, address)).toBe(expected);
});

test.each([
  ['shop.example', true],
  ['SHOP.example:443', true],
  ['shop.example:80', false],
  ['localhost', false],
  ['10.0.0.1', false],
])('at https://shop.example %s is ours: %s', (header, expected) => {
  expect(isOwnHost(header, new URL('https://shop.example'), '127.0.0.1')).toBe(expected);
});
