import { expect, test } from 'vitest';
import { clientOfAddress, plainAddress } from './client-address.rules.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:2'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0db8::1', '2001:db8:0:0'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
  ['::1', '0:0:0:0'],
  // What is no address stays what it is: nobody becomes somebody else by it.
  ['unknown', 'unknown'],
  ['1:2', '1:2'],
  ['::ffff:', '::ffff:'],
  ['', ''],
])('%s is %s', (ip, caller) => expect(clientOfAddress(ip)).toBe(caller));

test.each([
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::9', '2001:db8::9'],
  ['192.0.2.7:80', '192.0.2.7'],
])('the address %s is %s in traces', (ip, address) => expect(plainAddress(ip)).toBe(address));
