import { expect, test } from 'vitest';
import { keepAffiliate } from './checkout-cookies.ts';
import { sourcesOf } from './product-address.ts';

const from = (query: string, cookies: Record<string, string> = {}) =>
  sourcesOf({ query: new URLSearchParams(query), cookies: new Map(Object.entries(cookies)) });

test('where a buyer comes from is cleaned before it is sent or remembered: no control characters, no half emoji', () => {
  const query = `ref=%00ada%0A&utm_source=${'a'.repeat(199)}%F0%9F%98%80&utm_term=%00`;
  expect(from(query)).toEqual({ affiliateCode: 'ada', utm_source: 'a'.repeat(199) });
  expect(keepAffiliate(new URLSearchParams(query), 'shop')).toMatchObject([{ value: 'ada', path: '/c/shop' }]);
  expect(keepAffiliate(new URLSearchParams('ref=%00'), 'shop')).toEqual([]);
});

test('the partner who sent a buyer earlier is remembered, and one who sends them again replaces that one', () => {
  expect(from('', { ref: 'ada' })).toEqual({ affiliateCode: 'ada' });
  expect(from('ref=%00', { ref: 'ada' })).toEqual({ affiliateCode: 'ada' });
  expect(from('ref=bob', { ref: 'ada' })).toEqual({ affiliateCode: 'bob' });
});
