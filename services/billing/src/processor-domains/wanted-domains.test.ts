import { expect, test } from 'vitest';
import { domainsOf } from './wanted-domains.ts';

const base = 'https://shop.example';

test.each<[string, string | null, string | null, string[]]>([
  ['the deployment alone', base, null, ['shop.example']],
  ['a page of the seller’s own', base, 'https://ada.example:8443/buy', ['shop.example', 'ada.example']],
  ['one host once', base, 'https://shop.example/own', ['shop.example']],
  ['no page without https', base, 'http://ada.example', ['shop.example']],
  ['no page inside a network', base, 'https://localhost/buy', ['shop.example']],
  ['no address without a name', 'https://203.0.113.7', 'https://[2001:db8::7]/', []],
  ['nothing of a deployment that Stripe does not reach', null, 'https://ada.example', []],
])('wallets are shown at %s', (_, reachable, checkoutUrl, expected) => {
  expect(domainsOf(reachable, checkoutUrl)).toEqual(expected);
});
