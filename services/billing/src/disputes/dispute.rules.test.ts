import { disputeStatus } from '@app/contracts/disputes';
import { expect, test } from 'vitest';
import type { Charge, Dispute } from '../charging/payment.types.ts';
import type { ProcessorDispute } from '../processors/port.ts';
import { decideDispute } from './dispute.rules.ts';

const openedAt = new Date('2026-03-15T12:00:00.000Z');
const charge = (fields: Partial<Charge> = {}): Charge => ({
  ...{
    id: 'pmt_1',
    amountCents: 4_900,
    refundedCents: 0,
    lostCents: 0,
    given_back_cents: null,
    currency: 'usd',
    processor: 'stripe',
  },
  ...{ reference: 'pi_1', test: false, refundDueAt: null, refundFromAttempt: null, step: 'main' },
  ...fields,
});
const read = (status: Dispute['status'], fields: Partial<ProcessorDispute> = {}): ProcessorDispute => ({
  ...{ reference: 'du_1', paymentId: 'pmt_1', orderId: 'ord_1', about: 'pi_1', amountCents: 4_900, currency: 'usd' },
  ...{ reason: 'fraudulent', status, refundable: false, evidenceDueBy: null, openedAt, takenCents: 0 },
  ...fields,
});
const stored = (status: Dispute['status'], closed = false): Dispute => ({
  ...{ processor: 'stripe', test: false, reference: 'du_1', payment_id: 'pmt_1', order_id: 'ord_1' },
  ...{ amount_cents: 4_900, currency: 'usd', reason: 'fraudulent', status, refundable: false, evidence_due_by: null },
  ...{ opened_at: openedAt, closed_at: closed ? openedAt : null, lost_cents: 0 },
  given_back_cents: null,
});
const noCents = { takenCents: 0, lostCents: 0, takenBackCents: 0 };
const nothing = { changed: false, opened: false, closed: null, escalated: false, ...noCents };
const ends = ['won', 'lost', 'prevented', 'warning_closed'] as const;

test.each(disputeStatus.options)('one that is new and %s is opened, and closed where that is an end', (status) => {
  const closed = ends.find((end) => end === status) ?? null;
  const cents = status === 'lost' ? 4_900 : 0;
  expect(decideDispute(undefined, read(status), charge())).toEqual({
    ...{ changed: true, opened: true, closed, escalated: false },
    takenCents: cents,
    lostCents: cents,
    takenBackCents: 0,
  });
});

test.each([
  ['prevented', 0, 'prevented', 0],
  ['prevented', 4_900, 'lost', 4_900],
  ['prevented', 900, 'lost', 900],
  ['warning_closed', 4_900, 'lost', 4_900],
  ['won', 4_900, 'won', 0],
  ['lost', 0, 'lost', 4_900],
  ['needs_response', 4_900, null, 0],
  ['under_review', 4_900, null, 0],
  ['warning_needs_response', 4_900, null, 0],
] as const)('%s with %i taken is %s, and %i went back', (status, takenCents, closed, lostCents) => {
  expect(decideDispute(undefined, read(status, { takenCents }), charge())).toMatchObject({ closed, lostCents });
});

test('one that is read again as it was changes nothing, and what differs is recorded without an event', () => {
  expect(decideDispute(stored('needs_response'), read('needs_response'), charge())).toEqual(nothing);
  const later = { evidenceDueBy: new Date('2026-04-01T00:00:00.000Z') };
  for (const other of [
    read('under_review'),
    read('needs_response', later),
    read('needs_response', { reason: 'general' }),
  ]) {
    expect(decideDispute(stored('needs_response'), other, charge())).toEqual({ ...nothing, changed: true });
  }
});

test.each(ends)('one that ended as %s stays so, whatever is read late', (end) => {
  for (const status of disputeStatus.options.filter((each) => end !== 'lost' || each !== 'won')) {
    expect(decideDispute(stored(end, true), read(status), charge())).toEqual(nothing);
  }
});

test('an inquiry that takes the money becomes a dispute once', () => {
  const escalated = decideDispute(stored('warning_needs_response'), read('needs_response'), charge());
  expect(escalated).toEqual({ ...nothing, changed: true, escalated: true });
  expect(decideDispute(stored('needs_response'), read('under_review'), charge())).toMatchObject({ escalated: false });
  // An older reading, which arrives late.
  expect(decideDispute(stored('needs_response'), read('warning_under_review'), charge())).toEqual(nothing);
});

test.each([
  ['its own amount', charge(), { amountCents: 1_000 }, 1_000],
  [
    'its own amount of a charge that was refunded in part',
    charge({ refundedCents: 900 }),
    { amountCents: 4_000 },
    4_000,
  ],
  ['no more than is left', charge({ refundedCents: 900 }), { amountCents: 4_900 }, 4_000],
  ['no more than an earlier dispute left', charge({ lostCents: 4_000 }), { amountCents: 4_900 }, 900],
  ['nothing where all went back', charge({ refundedCents: 4_900 }), { amountCents: 4_900 }, 0],
  ['the whole rest in another currency', charge({ refundedCents: 900 }), { amountCents: 5, currency: 'eur' }, 4_000],
] as const)('a lost one gives back %s', (_, of, fields, lostCents) => {
  expect(decideDispute(stored('under_review'), read('lost', fields), of)).toMatchObject({ closed: 'lost', lostCents });
});

test('one that is lost and that the processor shows as won is reversed, and one that is won never again is lost', () => {
  const lost = { ...stored('lost', true), lost_cents: 4_900 };
  const reversed = { ...nothing, changed: true, closed: 'won' };
  expect(decideDispute(lost, read('won'), charge({ lostCents: 4_900 }))).toEqual({
    ...reversed,
    takenBackCents: 4_900,
  });
  const shared = { ...lost, given_back_cents: 900 };
  expect(decideDispute(shared, read('won'), charge({ lostCents: 4_900 }))).toEqual({
    ...reversed,
    takenBackCents: 900,
  });
  for (const late of ['lost', 'needs_response', 'prevented'] as const)
    expect(decideDispute(lost, read(late), charge({ lostCents: 4_900 }))).toEqual(nothing);
  expect(decideDispute(stored('won', true), read('lost'), charge())).toEqual(nothing);
});
