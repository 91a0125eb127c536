import { expect, test } from 'vitest';
import { isAllowedAddress, urlRefusal } from './public-address.ts';

const refused = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:f5ff:fffe',
  '100::1',
  '100:0:0:1::1',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '::8.8.8.8',
  '::a9fe:a9fe',
  '::ffff:0:8.8.8.8',
  '64:ff9b::a00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::808:808',
  '64:ff9b:0:1::1',
  '2002:a00:1::1',
  '2002:808:808::1',
  '2001:db8:1::1',
  '2001:2::1',
  '2001:20::1',
  '3fff::1',
  '5f00::1',
  'fec0::1',
  'fe00::1',
  '4000::1',
  '192.0.0.192',
  '198.19.255.255',
  'not an address',
  '',
];

test.each(refused)('%s is never sent to', (address) => {
  expect(isAllowedAddress(address, false)).toBe(false);
});

test.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
  expect(isAllowedAddress(address, false)).toBe(true);
});

test('the development setting allows loopback addresses and no other', () => {
  const allowed = refused.filter((address) => isAllowedAddress(address, true));
  expect(allowed).toEqual(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']);
});

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'https://[::1]:8443/hook',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[::8.8.8.8]/',
  'http://168.63.129.16/metadata',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost:3000/',
  'http://169.254.169.254/latest/meta-data/',
  'https://user:secret@example.com/',
  'http://example.com:25/',
  'https://example.com:6379/',
  'http://93.184.215.14:9200/_bulk',
  'http://example.com:0/',
])('%s is refused when it is set', (url) => {
  expect(urlRefusal(url, false)).toBeDefined();
});

test('names and public addresses are accepted', () => {
  for (const url of [
    'https://example.com/hook?x=1',
    'http://93.184.215.14:8080/',
    'https://localhost.example.com/',
    'http://a.co:80/',
    'http://a.co:8443/',
  ]) {
    expect(urlRefusal(url, false)).toBeUndefined();
  }
  expect(urlRefusal('http://localhost:3000/', true)).toBeUndefined();
  expect(urlRefusal('http://192.168.1.1/', true)).toBeDefined();
});
