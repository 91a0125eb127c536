import { buyerReason } from '@app/contracts/decline-reasons';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decideStart,
  givenUp,
  isAbandoned,
  isLost,
  isNeverReceived,
  isSentAgainForBuyer,
  keyUnreadable,
  lostFrom,
  mayResend,
  nextCheckAt,
  noProcessor,
  nothingDone,
  notReceived,
  paymentOutcomeOf,
} from './payment.rules.ts';
import type { Payment } from './payment.types.ts';

const tried = (attemptNo: number, status: Payment['status']): Payment =>
  ({ attemptNo, status, step: 'main' }) as Payment;
const statuses = fc.constantFrom<Payment['status']>('sent', 'succeeded', 'declined', 'requires_action', 'unknown');
/** As the indexes allow: all but the last are declined. */
const attempts = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.option(statuses, { nil: undefined }))
  .map(([declined, last]) => [
    ...Array.from({ length: declined }, (_, index) => tried(index + 1, 'declined')),
    ...(last === undefined ? [] : [tried(declined + 1, last)]),
  ]);

test('a new attempt is charged only when every earlier one was declined, and no attempt is made twice', () => {
  fc.assert(
    fc.property(attempts, fc.integer({ min: 1, max: 7 }), (made, attemptNo) => {
      const decision = decideStart(made, attemptNo);
      const free = made.every(({ status, attemptNo: attempt_no }) => status === 'declined' && attempt_no < attemptNo);
      expect(decision.kind === 'charge').toBe(free);
    }),
  );
});

test('a success is the outcome of every attempt, an earlier attempt has its own, and an open one that of all later ones', () => {
  fc.assert(
    fc.property(attempts, fc.integer({ min: 1, max: 7 }), (made, attemptNo) => {
      const decision = decideStart(made, attemptNo);
      if (decision.kind === 'charge') return;
      const expected =
        made.find(({ status }) => status === 'succeeded') ??
        made.find(({ attemptNo: attempt_no }) => attempt_no === attemptNo) ??
        made.at(-1);
      expect(decision.of).toBe(expected);
      const gives = decision.of.status === 'requires_action' && decision.of.attemptNo < attemptNo;
      expect(decision.kind).toBe(gives ? 'give up' : 'outcome');
    }),
  );
});

test('look-ups come after 1 minute, 5 minutes, 1 hour and then with the daily run, or 26 hours later', () => {
  const minutes = [0, 1, 2, 3, 9].map((checks) => nextCheckAt(checks, 0).getTime() / 60_000);
  expect(minutes).toEqual([1, 5, 60, 26 * 60, 26 * 60]);
});

test('a buyer’s payment that is unknown half a minute after it was sent, or three longer deadlines, is lost; any other is not', () => {
  const sentMs = Date.parse('2026-03-15T12:00:00.000Z');
  const payment = { step: 'main', sentAt: new Date(sentMs) } as Payment;
  expect(lostFrom(sentMs, 8_000)).toEqual(new Date(sentMs + 30_000));
  expect(lostFrom(sentMs, 20_000)).toEqual(new Date(sentMs + 60_000));
  const same = { sentAheadMs: -4_999, lookedUpAheadMs: 4_999 };
  expect([29_999, 30_000].map((ms) => isLost(payment, 8_000, sentMs + ms, same))).toEqual([false, true]);
  const apart = { sentAheadMs: -30_000, lookedUpAheadMs: 60_000 };
  expect([119_999, 120_000].map((ms) => isLost(payment, 8_000, sentMs + ms, apart))).toEqual([false, true]);
  for (const step of ['capture', 'upsell', 'recharge', 'refund', 'release', 'renewal'] as const)
    expect(isLost({ ...payment, step }, 8_000, sentMs + 30_000, same)).toBe(false);
});

const begunMs = Date.parse('2026-03-15T12:00:00.000Z');
const buyers = {
  ...{ step: 'main', status: 'unknown', createdAt: new Date(begunMs), sentAt: new Date(begunMs) },
  request: { paymentMethod: 'sim_ok' },
} as Payment;

test.each([
  ['its answer is overdue', 10_000, {}, true],
  ['its process died', 10_000, { status: 'sent' }, true],
  ['it saves a card', 10_000, { step: 'card' }, true],
  ['its answer may come still', 9_999, {}, false],
  ['its buyer has begun half a minute ago', 30_000, {}, false],
  ['it was sent again, and that answer may come still', 19_999, { sentAt: new Date(begunMs + 10_000) }, false],
  ['it was sent again, and that answer is overdue', 20_000, { sentAt: new Date(begunMs + 10_000) }, true],
  ['it waits at the bank', 10_000, { status: 'requires_action' }, false],
  ['it has ended', 10_000, { status: 'declined' }, false],
  ['its card is not known, as after a restored backup', 10_000, { request: { paymentMethod: '' } }, false],
  ['no buyer waits for it', 10_000, { step: 'capture' }, false],
])(
  'a payment that the processor does not know is sent again for the buyer who asks, where %s: %4$s',
  (_, ms, fields, sent) => {
    expect(isSentAgainForBuyer({ ...buyers, ...fields } as Payment, 8_000, begunMs + ms)).toBe(sent);
  },
);

test('a renewal that its buyer may confirm is sent for half an hour, and ends after an hour; others are sent for 23 hours', () => {
  const [sentAt, createdAt] = [new Date(0), new Date(-86_400_000)];
  const renewal = {
    ...{ step: 'renewal', call: 'chargeSaved', sentAt, createdAt },
    request: {},
  } as Payment;
  const confirmed = { ...renewal, request: { confirmation: { returnUrl: null } } } as unknown as Payment;
  const minutes = (of: Payment, ends: (payment: Payment, nowMs: number) => boolean, from: number, to: number) =>
    [from, to].map((minute) => ends(of, minute * 60_000 - 1));
  expect(minutes(confirmed, mayResend, 30, 31)).toEqual([true, false]);
  expect(minutes(confirmed, isNeverReceived, 60, 61)).toEqual([false, true]);
  expect(minutes(renewal, mayResend, 23 * 60, 23 * 60 + 1)).toEqual([true, false]);
  expect(minutes(renewal, isNeverReceived, 23 * 60, 23 * 60 + 1)).toEqual([false, true]);
  expect(minutes(confirmed, isAbandoned, 0, 61)).toEqual([false, false]);
  expect(minutes({ ...confirmed, status: 'requires_action' }, isAbandoned, 60, 61)).toEqual([false, true]);
  expect(isAbandoned({ ...renewal, status: 'requires_action' }, 0)).toBe(true);
});

test('what billing says of a payment itself says nothing of the card to its buyer', () => {
  const notOfCard = [notReceived, givenUp, keyUnreadable, noProcessor, nothingDone];
  expect(notOfCard.map(buyerReason)).toEqual(Array(5).fill('try_again_later'));
});

test('a buyer who confirms by the processor’s script has something to confirm, and no address for it', () => {
  const waiting = { ...tried(1, 'requires_action'), actionUrl: null, releasing: false };
  expect(paymentOutcomeOf(waiting)).toMatchObject({ status: 'requires_action', action: null });
  expect(paymentOutcomeOf({ ...waiting, releasing: true })).toMatchObject({ status: 'processing', action: null });
});
