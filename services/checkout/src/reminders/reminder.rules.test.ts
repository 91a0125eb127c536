import { expect, test } from 'vitest';
import { checkoutLink, noticeOf, optOutLink, problemOf, refusesAll, stalledBounds } from './reminder.rules.ts';

test('the bounds of a stalled checkout count back from now', () => {
  const now = Date.parse('2026-03-01T00:00:00.000Z');
  const { idleSince, openedAfter, quietSince } = stalledBounds(now, 90);
  expect([idleSince, openedAfter, quietSince].map((time) => time.toISOString())).toEqual([
    '2026-02-28T22:30:00.000Z',
    '2026-02-22T00:00:00.000Z',
    '2026-01-30T00:00:00.000Z',
  ]);
});

const shop = { publicUrl: 'https://shop.example', checkoutUrl: null, handle: 'ada', slug: 'course' };

test.each([
  [{ ...shop, checkoutUrl: 'https://ada.example' }, 'https://ada.example/#restore=s-_1'],
  [
    { ...shop, checkoutUrl: 'https://ada.example/?a=1&checkout=x#y' },
    'https://ada.example/?a=1&checkout=x#restore=s-_1',
  ],
])('a seller’s own page gets the token after the #, where no server sees it', (where, link) => {
  expect(checkoutLink(where, 's-_1')).toBe(link);
  expect(new URL(link).search).not.toContain('s-_1');
});

test('the link of a hosted page works without script', () => {
  expect(checkoutLink(shop, 's-_1')).toBe('https://shop.example/c/restore/s-_1.ada.course');
});

test('the opt-out link holds the token and nothing of the buyer', () => {
  expect(optOutLink('https://shop.example', 'token')).toBe('https://shop.example/c/opt-out/token');
});

test.each([
  [{ failed: 0, left: false, detail: '' }, null],
  [
    { failed: 1, left: false, detail: '550 no\r\nuser' },
    '1 reminder did not go out (550 no user). The next daily run tries again.',
  ],
  [
    { failed: 3, left: true, detail: '' },
    '3 reminders did not go out. The next daily run tries again and goes on with the others.',
  ],
  [
    { failed: 0, left: true, detail: '' },
    'Reminders took too long. The next daily run tries again and goes on with the others.',
  ],
])('a run that sent all has no problem, another has one in one line', (run, problem) => {
  expect(problemOf(run)).toBe(problem);
});

test('what a mail server says is cut to a line of 300 characters', () => {
  expect(problemOf({ failed: 1, left: false, detail: 'x'.repeat(5_000) })?.length).toBeLessThan(400);
});

const bounds = { perDay: 5, perDayOfAll: 0 };
test.each([
  [{ refusedFirst: 0, refusal: '550 no', capped: false, unverified: 0, bounds }, null],
  [
    { refusedFirst: 2, refusal: '550 no\nuser', capped: false, unverified: 0, bounds },
    '2 reminders were refused (550 no user). Daily runs try twice more, once a day, and then give up.',
  ],
  [
    { refusedFirst: 0, refusal: '', capped: true, unverified: 0, bounds },
    'The ceiling of 5 reminders in a day is reached: later runs send the others.',
  ],
  [
    { refusedFirst: 0, refusal: '', capped: true, unverified: 0, bounds: { perDay: 5, perDayOfAll: 9 } },
    'The ceiling of 5 reminders in a day, or of 9 of all accounts together, is reached: later runs send the others.',
  ],
])('a refused address is reported with the first refusal, a ceiling whenever it is reached', (run, notice) => {
  expect(noticeOf(run)).toBe(notice);
});

test('a server that refuses three and takes none has something against the sender, not against their addresses', () => {
  expect(refusesAll({ sent: 0, refused: 3 })).toBe(true);
  expect(refusesAll({ sent: 0, refused: 2 })).toBe(false);
  expect(refusesAll({ sent: 1, refused: 30 })).toBe(false);
});
