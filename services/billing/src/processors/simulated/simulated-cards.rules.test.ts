import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { asSaved, cardOf, cards, knownCard, wordsOf } from './simulated-cards.rules.ts';

const page = readFileSync(new URL('../../../../../docs/payment-processors.md', import.meta.url), 'utf8');

test('the page on processors lists every card, and no other', () => {
  // A row may be about several.
  const rows = [...page.matchAll(/^\| (`sim_[^|]+) \|/gm)].map(([, cell = '']) => cell);
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`(sim_\w+)`/g)].map(([, token]) => token));
  expect(listed.toSorted()).toEqual(Object.keys(cards).toSorted());
});

test.each(Object.entries(cards))('%s: every no has words, and no digits that another card has', (token, card) => {
  const { answer, traits } = card;
  const reasons = [answer, traits.savedDecline, traits.captureDecline, traits.refundDecline].filter(
    (reason) => reason !== undefined && reason !== 'succeeded' && reason !== 'requires_action',
  );
  for (const reason of reasons) expect(wordsOf(reason ?? '').message).toMatch(/^[A-Z].*\.$/);
  const sameDigits = Object.keys(cards).filter((other) => cards[other]?.lastFour === card.lastFour);
  expect(sameDigits).toEqual([token]);
});

test('a text that is no token is no card, whatever it is called', () => {
  for (const text of ['', 'sim', 'toString', '__proto__', 'SIM_OK']) {
    expect(knownCard(text)).toBeUndefined();
    expect(cardOf(text)).toEqual({ answer: 'invalid_payment_method', traits: {} });
  }
});

test('a reason without words is an error, not an empty answer', () => {
  expect(() => wordsOf('toString')).toThrow('toString');
});

describe('a card that was charged elsewhere before', () => {
  test.each(['sim_ok', 'sim_slow', 'sim_timeout_before'])('%s goes on as it is', (token) => {
    expect(asSaved(cardOf(token))).toEqual(cardOf(token));
  });

  test('never needs the buyer', () => {
    expect(asSaved(cardOf('sim_requires_action')).answer).toBe('succeeded');
    expect(asSaved(cardOf('sim_renewal_requires_action')).answer).toBe('authentication_required');
  });

  test('is declined from its first charge on where its second would be', () => {
    expect(asSaved(cardOf('sim_renewal_lost_card')).answer).toBe('lost_card');
  });

  test('is not answered from its first charge on where its second would not be', () => {
    expect(asSaved(cardOf('sim_renewal_timeout_after')).fault).toBe('answer_lost');
  });
});
