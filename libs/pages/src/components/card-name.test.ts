import { expect, test } from 'vitest';
import { cardName } from './card-name.ts';

test('a card is called by its wallet, and else by its last four digits', () => {
  expect(cardName({ last_four: '1234', wallet: 'apple_pay' })).toBe('Apple Pay ···· 1234');
  expect(cardName({ last_four: '1234', wallet: 'google_pay' })).toBe('Google Pay ···· 1234');
  expect(cardName({ last_four: null, wallet: 'apple_pay' })).toBe('Apple Pay');
  expect(cardName({ last_four: '1234', wallet: null })).toBe('Card ending in 1234');
  expect(cardName({ last_four: '1234' })).toBe('Card ending in 1234');
  expect(cardName({ last_four: null })).toBeNull();
});
