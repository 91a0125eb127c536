import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import {
  type ListedFact,
  notAtProcessor,
  type OwnHold,
  type OwnPayment,
  orphanOf,
  policyOf,
  verdictOn,
} from './books.rules.ts';

const paymentId = newId('payment', Date.parse('2026-03-15T12:00:00.000Z'));

const record = (fields: Partial<ListedFact> = {}): ListedFact => ({
  reference: 'ch_1',
  paymentId,
  orderId: null,
  about: null,
  kind: 'charge',
  status: 'succeeded',
  amountCents: 4900,
  currency: 'usd',
  recordedAt: new Date('2026-03-15T12:00:00.000Z'),
  message: null,
  ...fields,
});
const own = (fields: Partial<OwnPayment> = {}): OwnPayment => ({
  id: 'pmt_1',
  accountId: 'acc_1',
  test: false,
  orderId: 'ord_1',
  call: 'charge',
  status: 'succeeded',
  amountCents: 4900,
  currency: 'usd',
  declineReason: null,
  processorReference: 'ch_1',
  ...fields,
});
const toldOf = (verdict: ReturnType<typeof verdictOn>) => (verdict.kind === 'orphan' ? verdict.orphan : undefined);

test('what moved no money, or is not known yet, is nothing to explain', () => {
  expect(verdictOn(record({ kind: 'release' }), undefined).kind).toBe('nothing');
  for (const status of ['declined', 'requires_action'] as const) {
    expect(verdictOn(record({ status }), undefined).kind).toBe('nothing');
  }
  for (const status of ['created', 'sent', 'unknown', 'requires_action'] as const) {
    expect(verdictOn(record(), own({ status })).kind).toBe('nothing');
  }
});

test.each([
  ['charge', 'charge'],
  ['charge', 'chargeSaved'],
  ['capture', 'capture'],
  ['refund', 'refund'],
  ['hold', 'authorize'],
] as const)('a %s that was made here as %s stands on both sides', (kind, call) => {
  expect(verdictOn(record({ kind }), own({ call })).kind).toBe('equal');
});

test('a charge that only the processor knows says what it is and what to do', () => {
  expect(toldOf(verdictOn(record({ paymentId: null }), undefined))).toEqual({
    side: 'processor',
    kind: 'charge',
    id: 'ch_1',
    amount_cents: 4900,
    currency: 'usd',
    orderId: null,
    detail:
      'The payment processor shows a charge of $49.00 of 2026-03-15 (reference ch_1) that the platform does not know. Look it up there: if no buyer bought anything for it, give it back there; if it was a sale of yours, record it here as an order.',
  });
});

test('a charge or refund that only the platform knows names the payment and the reference to give the processor', () => {
  const charge = notAtProcessor('charge', own());
  expect(charge).toMatchObject({ side: 'platform', kind: 'charge', id: 'pmt_1', orderId: 'ord_1', amount_cents: 4900 });
  expect(charge.detail).toContain('Ask the processor for the reference ch_1');
  const refund = notAtProcessor('refund', own({ call: 'refund', processorReference: 're_1' }));
  expect(refund.detail).toContain('recorded a refund of $49.00 for order ord_1 (payment pmt_1)');
});

test.each(['charge', 'refund', 'hold'] as const)('a second %s under one payment names both references', (kind) => {
  const call = kind === 'hold' ? 'authorize' : kind;
  const orphan = toldOf(verdictOn(record({ kind, reference: 'ch_2' }), own({ call })));
  expect(orphan).toMatchObject({ side: 'processor', kind, id: 'ch_2', orderId: 'ord_1' });
  expect(orphan?.detail).toContain('beside another (reference ch_1)');
});

test('money that was taken or given back though it was declined here is an orphan of its order', () => {
  const taken = toldOf(verdictOn(record(), own({ status: 'declined', declineReason: 'not_received' })));
  expect(taken).toMatchObject({ side: 'processor', id: 'ch_1', orderId: 'ord_1' });
  expect(taken?.detail).toContain('recorded as declined (payment pmt_1). Give it back there');
  const refused = own({ call: 'refund', status: 'declined', declineReason: 'refund_declined' });
  expect(toldOf(verdictOn(record({ kind: 'refund' }), refused))?.detail).toContain('do not give it back again');
});

test.each([
  ['another amount', own({ amountCents: 100 })],
  ['another currency', own({ currency: 'eur' })],
  ['a hold', own({ call: 'authorize' })],
  ['a refund', own({ call: 'refund' })],
])('a charge that is %s here is an orphan', (_, payment) => {
  expect(toldOf(verdictOn(record(), payment))).toMatchObject({ side: 'processor', kind: 'charge', orderId: 'ord_1' });
});

test('a refund that failed afterwards is found while it counts as made here, and explained once it is known', () => {
  const failed = record({ kind: 'refund', status: 'failed', message: 'The card is closed.' });
  expect(verdictOn(failed, own({ call: 'refund' })).kind).toBe('refund_failed');
  const known = own({ call: 'refund', status: 'declined', declineReason: 'refund_failed' });
  expect(verdictOn(failed, known).kind).toBe('nothing');
  expect(verdictOn(record({ kind: 'refund' }), known).kind).toBe('nothing');
  expect(verdictOn(failed, undefined).kind).toBe('nothing');
});

test('a charge that failed afterwards is money that the platform counts without being paid', () => {
  const verdict = verdictOn(record({ status: 'failed', message: 'The bank took it back.' }), own());
  expect(toldOf(verdict)).toMatchObject({ side: 'platform', kind: 'charge', id: 'pmt_1', orderId: 'ord_1' });
  expect(toldOf(verdict)?.detail).toContain('2026-03-15 (reference ch_1): The bank took it back.');
});

const unexplained = (
  fact: Partial<ListedFact>,
  { ended = false, ...of }: { own?: OwnPayment; hold?: OwnHold; ended?: boolean } = {},
) => ({ fact: record(fact), own: of.own, hold: of.hold, ended });

test.each([
  ['the seller’s own refund', 'follow', unexplained({ kind: 'refund', paymentId: null })],
  ['a refund of ours that is lacked', 'follow', unexplained({ kind: 'refund' })],
  ['a charge of ours that is lacked', 'follow', unexplained({})],
  ['one that waits for its buyer', 'follow', unexplained({ status: 'requires_action' })],
  ['a charge of nobody', 'report', unexplained({ paymentId: null })],
  ['a charge under a text that is no id of ours', 'report', unexplained({ paymentId: 'pmt_1' })],
  ['one under our id and another’s suffix', 'report', unexplained({ paymentId: `${paymentId}-copy` })],
  ['a hold of ours that is lacked', 'report', unexplained({ kind: 'hold' })],
  ['a capture of ours that is lacked', 'report', unexplained({ kind: 'capture' })],
  ['what was declined here', 'look up', unexplained({}, { own: own({ status: 'declined' }) })],
  ['what is under way here', 'report', unexplained({}, { own: own({ status: 'sent' }) })],
  ['another amount', 'report', unexplained({}, { own: own({ amountCents: 1 }) })],
  [
    'a refund that failed',
    'reopen',
    unexplained({ kind: 'refund', status: 'failed' }, { own: own({ call: 'refund' }) }),
  ],
  ['a charge that failed', 'report', unexplained({ status: 'failed' }, { own: own() })],
] as const)('the policy for %s is: %s', (_, policy, fact) => {
  expect(policyOf(fact)).toBe(policy);
});

test('a hold that nothing explains is not reported once it was captured or released', () => {
  expect(orphanOf(unexplained({ kind: 'hold' }))).toMatchObject({ side: 'processor', kind: 'hold', id: 'ch_1' });
  expect(orphanOf(unexplained({ kind: 'hold' }, { ended: true }))).toBeUndefined();
});

test('a capture that was not made here waits while its hold is being settled, and is reported otherwise; a release only of what is held', () => {
  const hold = (hold_status: OwnHold['hold_status']): OwnHold => ({ ...own({ call: 'authorize' }), hold_status });
  const capture = { kind: 'capture', about: 'ch_1', reference: 'ch_2', paymentId: null } as const;
  expect(orphanOf(unexplained(capture, { hold: hold('settling') }))).toBe('later');
  expect(orphanOf(unexplained(capture, { hold: hold('held') }))).toMatchObject({ side: 'processor', kind: 'charge' });
  expect(orphanOf(unexplained(capture))).toMatchObject({ side: 'processor', kind: 'charge', orderId: null });
  const release = { ...capture, kind: 'release' } as const;
  expect(orphanOf(unexplained(release, { hold: hold('held') }))).toMatchObject({ side: 'platform', kind: 'hold' });
  expect(orphanOf(unexplained(release, { hold: hold('settling') }))).toBeUndefined();
  expect(orphanOf(unexplained(release))).toBeUndefined();
});
