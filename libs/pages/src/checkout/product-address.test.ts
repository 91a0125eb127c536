import { expect, test } from 'vitest';
import { keepAffiliate, keepsAffiliates } from './checkout-cookies.ts';
import { sourcesOf, utmOf } from './product-address.ts';

const key = 'Qm3zP0aV7xK2nB5c';
const offerWith = (affiliateCode: string | null) => ({ affiliateCode, seller: { key } as never });
const from = (query: string, existing: string | null = null, cookies: Record<string, string> = {}) =>
  sourcesOf(
    { query: new URLSearchParams(query), cookies: new Map(Object.entries(cookies)) },
    query === '' && Object.keys(cookies).length === 0 ? null : offerWith(existing),
  );

test('where a buyer comes from is cleaned before it is sent or remembered: no control characters, no half emoji', () => {
  const query = `ref=%00ada%0A&utm_source=${'a'.repeat(199)}%F0%9F%98%80&utm_term=%00`;
  expect(from(query)).toEqual({ affiliateCode: 'ada', utm_source: 'a'.repeat(199) });
  expect(utmOf(new URLSearchParams(query))).toEqual({
    utm_source: 'a'.repeat(199),
    ...{ utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
  });
  expect(utmOf(new URLSearchParams('ref=ada&utm_term=%00'))).toBeNull();
  expect(from('')).toEqual({});
});

test('the affiliate who sent a buyer is remembered, and only one who exists takes the place', () => {
  const kept = { [`ref_${key}`]: 'ADA' };
  expect(from('', null, kept)).toEqual({ affiliateCode: 'ADA' });
  expect(from('ref=nobody', null, kept)).toEqual({ affiliateCode: 'ADA' });
  expect(from('ref=bob', 'BOB', kept)).toEqual({ affiliateCode: 'BOB' });
  // The seller learns of the code that nobody has.
  expect(from('ref=nobody')).toEqual({ affiliateCode: 'nobody' });
  expect(from('', null, { ref_ofanothershop12: 'EVE' })).toEqual({});
});

test('a cookie is of the seller, under every handle, and one of the release before becomes one', () => {
  const keep = (existing: string | null, cookies: Record<string, string> = {}) =>
    keepAffiliate(new Map(Object.entries(cookies)), key, existing);
  const cookie = { name: `ref_${key}`, path: '/c', maxAgeSeconds: 30 * 86_400 };
  expect(keep('ADA')).toEqual([{ ...cookie, value: 'ADA' }]);
  expect(keep(null)).toEqual([]);
  expect(keep(null, { [`ref_${key}`]: 'ADA' })).toEqual([]);
  expect(keep(null, { ref: 'bob' })).toEqual([{ ...cookie, value: 'bob' }]);
  expect(keep(null, { ref: 'bob', [`ref_${key}`]: 'ADA' })).toEqual([]);
  expect(keepsAffiliates(new Map([['ref', 'bob']]))).toBe(true);
  expect(keepsAffiliates(new Map([['reference', 'x']]))).toBe(false);
});

test('a browser keeps twenty shops’ affiliates, and the oldest give way', () => {
  const names = Array.from({ length: 20 }, (_, n) => `ref_${String(n).padStart(16, 'a')}`);
  const set = keepAffiliate(new Map(names.map((name) => [name, 'x'])), key, 'ADA');
  expect(set.map(({ name, value }) => [name, value])).toEqual([
    [`ref_${key}`, 'ADA'],
    [names[0], null],
  ]);
});
