import { expect, test } from 'vitest';
import { changesOf, eventsOfChanged, type LockedPayment, takesAnswer } from './answer-changes.rules.ts';
import type { PaymentUpdate } from './decide-answer.rules.ts';

const updateTo = (status: PaymentUpdate['status'], ...from: PaymentUpdate['from']) =>
  ({ status, from }) as PaymentUpdate;
const succeeds = updateTo('succeeded', 'created', 'sent', 'unknown', 'requires_action');
const ends = updateTo('declined', 'created', 'sent', 'unknown', 'requires_action');

const sent = new Date('2026-03-15T12:00:00.000Z');
const locked = (...rows: readonly LockedPayment[]) => new Map(rows.map((row) => [row.id, row]));
const row = (id: string, status: LockedPayment['status'], releasing = false): LockedPayment => ({
  ...{ id, status, releasing, sentAt: sent },
});
const answer = (
  update: PaymentUpdate,
  releasedPaymentId: string | null = null,
  released: PaymentUpdate | null = null,
) => ({
  payment: { id: 'pmt_own', releasedPaymentId, sentAt: sent },
  decision: { update, released },
});

test.each([
  ['was sent', row('pmt_own', 'sent'), succeeds, true],
  ['is unknown', row('pmt_own', 'unknown'), succeeds, true],
  ['waits for its buyer', row('pmt_own', 'requires_action'), succeeds, true],
  ['has succeeded', row('pmt_own', 'succeeded'), succeeds, false],
  ['was declined', row('pmt_own', 'declined'), succeeds, false],
  ['was declined, by an answer from there', row('pmt_own', 'declined'), updateTo('succeeded', 'declined'), true],
  ['is unknown, by an answer that is none', row('pmt_own', 'unknown'), updateTo('unknown', 'created', 'sent'), false],
  ['is being released', row('pmt_own', 'requires_action', true), succeeds, false],
] as const)('a payment that %s takes an answer: %4$s', (_, own, update, takes) => {
  expect(takesAnswer(own, update)).toBe(takes);
  expect(changesOf(answer(update), locked(own))).toEqual(takes ? [{ id: 'pmt_own', update }] : []);
});

test.each([
  ['that nothing was done', { ...ends, declineReason: 'nothing_done' }, false],
  ['that the processor never got it', { ...ends, declineReason: 'not_received' }, false],
  ['that it is unknown', updateTo('unknown', 'created', 'sent'), false],
  ['that its card was declined', { ...ends, declineReason: 'card_declined' }, true],
  ['that it succeeded', succeeds, true],
] as const)('a payment that was sent again takes of its first sending %s: %3$s', (_, update, takes) => {
  const again = { ...row('pmt_own', 'sent'), sentAt: new Date(sent.getTime() + 10_000) };
  expect(changesOf(answer(update), locked(again))).toHaveLength(takes ? 1 : 0);
  expect(changesOf(answer(update), locked(row('pmt_own', 'sent')))).toHaveLength(1);
});

test('an answer to a payment that is not there changes none', () => {
  expect(changesOf(answer(succeeds), locked())).toEqual([]);
});

test.each([
  ['is released', row('pmt_waiting', 'requires_action', true), ends, true],
  ['is unknown', row('pmt_waiting', 'unknown', true), ends, true],
  ['has ended', row('pmt_waiting', 'succeeded', true), ends, false],
  ['holds money: what its release means is the hold’s', row('pmt_waiting', 'succeeded'), null, false],
  ['keeps waiting, as its release has no end', row('pmt_waiting', 'requires_action', true), null, false],
] as const)('the payment that a release is about changes with it, if it %s: %4$s', (_, waiting, released, changes) => {
  const release = answer(succeeds, 'pmt_waiting', released);
  const own = { id: 'pmt_own', update: succeeds };
  expect(changesOf(release, locked(row('pmt_own', 'sent'), waiting))).toEqual(
    changes ? [own, { id: 'pmt_waiting', update: released }] : [own],
  );
});

test('of a release whose own end was recorded before, the payment that it is about stays as it is', () => {
  const release = answer(succeeds, 'pmt_waiting', ends);
  const rows = locked(row('pmt_own', 'succeeded'), row('pmt_waiting', 'requires_action', true));
  expect(changesOf(release, rows)).toEqual([]);
});

test('events are written of the payments that change alone', () => {
  const events = [{ of: 'pmt_own' }, { of: 'pmt_waiting' }];
  const [own, waiting] = [
    { id: 'pmt_own', update: succeeds },
    { id: 'pmt_waiting', update: ends },
  ];
  expect(eventsOfChanged(events, [own, waiting])).toEqual(events);
  expect(eventsOfChanged(events, [own])).toEqual([{ of: 'pmt_own' }]);
  expect(eventsOfChanged(events, [])).toEqual([]);
});
