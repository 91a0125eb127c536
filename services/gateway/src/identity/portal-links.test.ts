import { expect, test } from 'vitest';
import { linkEnd } from './portal-link.rules.ts';
import { createPortalTokens } from './portal-links.ts';

test('a command makes one token, which no other command, account or deployment makes', () => {
  const tokens = createPortalTokens('p'.repeat(32));
  const made = [tokens('acc_1', 'a'), tokens('acc_1', 'b'), tokens('acc_2', 'a')];
  made.push(createPortalTokens('q'.repeat(32))('acc_1', 'a'));
  expect(new Set(made).size).toBe(4);
  expect(tokens('acc_1', 'a')).toBe(made[0]);
  for (const token of made) expect(token).toMatch(/^[\w-]{43}$/);
});

test('a link to the portal lasts an hour, one to a card until the next attempt and 72 hours at least', () => {
  const now = new Date('2026-11-01T00:00:00Z');
  const end = (isOfCard: boolean, until: string | null) =>
    linkEnd(now, isOfCard, until === null ? null : new Date(until)).toISOString();
  expect(end(false, '2026-11-20T00:00:00Z')).toBe('2026-11-01T01:00:00.000Z');
  expect(end(true, null)).toBe('2026-11-04T00:00:00.000Z');
  expect(end(true, '2026-11-02T00:00:00Z')).toBe('2026-11-04T00:00:00.000Z');
  expect(end(true, '2026-11-20T00:00:00Z')).toBe('2026-11-20T00:00:00.000Z');
});
