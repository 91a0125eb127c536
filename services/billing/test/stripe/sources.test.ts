import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { endpointSources } from './sources.ts';
import { invalid, StripeNo } from './stripe-error.ts';

test('each answer of the stand-in names where Stripe says it', () => {
  expect(Object.keys(endpointSources).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  for (const source of Object.values(endpointSources)) expect(source).toMatch(/^docs\.stripe\.com\/\S+/);
});

test('the stand-in cannot give an error that no source has', () => {
  expect(() => invalid('Words of our own.')).toThrow('no source has the error of Stripe “Words of our own.”');
  expect(() => new StripeNo(402, { type: 'card_error', code: 'a_code_of_our_own', message: 'No.' })).toThrow(
    'a_code_of_our_own',
  );
  expect(invalid('The amount is too small.', { code: 'amount_too_small' }).status).toBe(400);
});
