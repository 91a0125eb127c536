import { expect, test } from 'vitest';
import { relyingPartyOf } from './relying-party.rules.ts';

test.each([
  ['https://shop.example', { id: 'shop.example', origin: 'https://shop.example' }],
  ['https://shop.example:8443/base', { id: 'shop.example', origin: 'https://shop.example:8443' }],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://shop.localhost:3000', { id: 'shop.localhost', origin: 'http://shop.localhost:3000' }],
  ['http://shop.example', null],
  ['http://127.0.0.1:3000', null],
  ['https://192.0.2.1', null],
  ['https://[2001:db8::1]', null],
  ['', null],
])('%s', (url, party) => {
  expect(relyingPartyOf(url)).toEqual(party);
});
