import { expect, test } from 'vitest';
import type { Hold, OrderMoney, Payment } from '../charging/payment.types.ts';
import { nextHoldStep } from './hold.rules.ts';

const nowMs = Date.parse('2026-03-15T12:00:00.000Z');
const at = (ms: number) => new Date(nowMs + ms);
const hourMs = 3_600_000;

const hold: Hold = {
  orderId: 'ord_1',
  accountId: 'acc_1',
  paymentId: 'pmt_1',
  reference: 'hold_1',
  amountCents: 4900,
  capturedCents: 0,
  currency: 'usd',
  captureBefore: at(48 * hourMs),
  decideBy: at(hourMs),
  upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 },
  status: 'settling',
  decision: 'accepted',
  upsellDeclined: false,
  lostBecause: null,
  processor: 'simulated',
  test: false,
  dueAt: at(0),
};

const payment = (
  step: Payment['step'],
  status: Payment['status'],
  reason: string | null = null,
  attemptNo = 1,
): Payment => ({
  call: 'capture',
  request: { paymentId: 'pmt', amountCents: 4900, currency: 'usd', reference: 'hold_1' },
  id: `pmt_${step}_${attemptNo}`,
  accountId: 'acc_1',
  orderId: 'ord_1',
  step,
  chargeId: null,
  releasedPaymentId: null,
  period: null,
  attemptNo,
  holdTerms: null,
  amountCents: 4900,
  currency: 'usd',
  status,
  declineKind: reason === null ? null : 'soft',
  declineReason: reason,
  declineMessage: null,
  processor: 'simulated',
  processorReference: null,
  actionUrl: null,
  lastFour: null,
  wallet: null,
  customerEmail: 'a@example.com',
  emailKey: 'a@example.com',
  productName: 'Course',
  test: false,
  createdAt: at(0),
  sentAt: at(0),
  finishedAt: status === 'succeeded' || status === 'declined' ? at(0) : null,
  nextCheckAt: status === 'succeeded' || status === 'declined' ? null : at(60_000),
  checks: 0,
  releasing: false,
});

type Given = Partial<Pick<Hold, 'decision' | 'upsell'>> & {
  retryCapture?: boolean;
  notListed?: boolean;
  atMs?: number;
  method?: string | null;
};

const next = (
  payments: Payment[],
  { retryCapture = false, notListed = false, atMs = nowMs, method = 'method' as string | null, ...change }: Given = {},
) => {
  const money: OrderMoney = {
    accountId: 'acc_1',
    orderId: 'ord_1',
    payments,
    charges: [],
    renewals: [],
    subscriptionId: null,
    disputes: [],
    hold,
    savedMethod: method,
  };
  const releases = payments.filter(({ step }) => step === 'release');
  return nextHoldStep({ ...hold, ...change }, money, { nowMs: atMs, retryCapture, notListed, releases });
};

const main = payment('main', 'succeeded');
const captured = [main, payment('capture', 'succeeded')];
const declined = (reason: string) => [main, payment('capture', 'declined', reason)];

test('a decided hold is captured, then the accepted upsell is charged, then it ends', () => {
  expect(next([main])).toEqual({ kind: 'send', step: 'capture', attemptNo: 1 });
  expect(next(captured)).toEqual({ kind: 'send', step: 'upsell', attemptNo: 1 });
  const bought = [...captured, payment('upsell', 'succeeded')];
  expect(next(bought)).toEqual({ kind: 'finish', status: 'settled', upsellDeclined: false });
  const refused = [...captured, payment('upsell', 'declined', 'card_declined')];
  expect(next(refused)).toEqual({ kind: 'finish', status: 'settled', upsellDeclined: true });
});

test('an accepted upsell of 0 is bought without a charge, also without a saved card', () => {
  const upsell = { upsellId: 'ups_1', headline: 'A gift', amountCents: 0 };
  const settled = { kind: 'finish', status: 'settled', upsellDeclined: false };
  expect(next(captured, { upsell })).toEqual(settled);
  expect(next(captured, { upsell, method: null })).toEqual(settled);
});

test.each(['declined', 'not_decided'] as const)('an upsell that was %s is not charged', (decision) => {
  expect(next(captured, { decision })).toEqual({ kind: 'finish', status: 'settled', upsellDeclined: false });
});

test.each(['sent', 'unknown'] as const)('nothing follows a payment that is %s', (status) => {
  for (const step of ['capture', 'upsell', 'recharge'] as const)
    expect(next([main, payment(step, status)], { retryCapture: true }).kind).toBe('wait');
});

test('a capture that failed is made again when it may be, and waits for the last hour of the hold else', () => {
  const failed = declined('capture_failed');
  expect(next(failed, { retryCapture: true })).toEqual({ kind: 'send', step: 'capture', attemptNo: 2 });
  expect(next(failed)).toEqual({ kind: 'wait', until: at(47 * hourMs) });
  expect(next(failed, { atMs: nowMs + 47 * hourMs })).toEqual({ kind: 'wait', until: hold.captureBefore });
});

test('once a capture was declined after the hold’s end the card is charged instead, once; a decline of that loses it', () => {
  const recharge = { kind: 'send', step: 'recharge', attemptNo: 1 };
  expect(next(declined('hold_expired'))).toEqual(recharge);
  const ended = { atMs: hold.captureBefore.getTime() };
  expect(next(declined('capture_failed'), ended)).toEqual({ kind: 'send', step: 'capture', attemptNo: 2 });
  const last = { ...payment('capture', 'declined', 'capture_failed', 2), createdAt: hold.captureBefore };
  expect(next([...declined('capture_failed'), last], { ...ended, retryCapture: true })).toEqual(recharge);
  const lost = { kind: 'finish', status: 'lost', reason: 'expired' };
  expect(
    next([...declined('hold_expired'), payment('recharge', 'declined', 'card_declined')], { retryCapture: true }),
  ).toEqual(lost);
  expect(next([...declined('hold_expired'), payment('recharge', 'succeeded')])).toMatchObject({ step: 'upsell' });
});

test('a hold that was captured by a payment unknown to us is never charged anew, also after it has ended', () => {
  const restored = declined('already_captured');
  const find = { kind: 'find capture', attemptNo: 2, since: at(0) };
  for (const retryCapture of [false, true]) {
    expect(next(restored, { retryCapture })).toEqual(find);
    expect(next(restored, { retryCapture, atMs: hold.captureBefore.getTime() })).toEqual(find);
    expect(next(restored, { retryCapture, notListed: true })).toEqual({ kind: 'send', step: 'upsell', attemptNo: 1 });
    const settled = { kind: 'finish', status: 'settled', upsellDeclined: false };
    expect(next(restored, { retryCapture, notListed: true, decision: 'declined' })).toEqual(settled);
  }
});

test('without a saved card nothing can be charged while the buyer is away', () => {
  expect(next(captured, { method: null })).toEqual({ kind: 'finish', status: 'settled', upsellDeclined: true });
  expect(next(declined('hold_expired'), { method: null })).toMatchObject({ kind: 'finish', status: 'lost' });
});

test('a hold that its seller released at the processor is lost, and nothing is charged instead, also after its end', () => {
  const lost = { kind: 'finish', status: 'lost', reason: 'released' };
  const ended = { atMs: hold.captureBefore.getTime() };
  for (const given of [{}, ended, { retryCapture: true }])
    expect(next(declined('already_released'), given)).toEqual(lost);
});

test('a hold that its seller released here is released, and never captured or charged', () => {
  const decision = 'released';
  const lost = { kind: 'finish', status: 'lost', reason: 'released' };
  const send = { kind: 'send', step: 'release', attemptNo: 1 };
  const release = (status: Payment['status'], reason: string | null = null) => [
    main,
    payment('release', status, reason),
  ];
  expect(next([main], { decision })).toEqual(send);
  expect(next(declined('capture_failed'), { decision, retryCapture: true })).toEqual(send);
  expect(next(release('sent'), { decision, retryCapture: true }).kind).toBe('wait');
  expect(next(release('succeeded'), { decision })).toEqual(lost);
  // It had expired.
  expect(next(release('declined', 'already_succeeded'), { decision })).toEqual(lost);
  expect(next(release('declined', 'not_received'), { decision })).toEqual({ kind: 'wait', until: at(47 * hourMs) });
  expect(next(release('declined', 'not_received'), { decision, retryCapture: true })).toMatchObject({
    step: 'release',
  });
  const last = { ...payment('release', 'declined', 'not_received'), createdAt: hold.captureBefore };
  expect(next([main, last], { decision, retryCapture: true })).toEqual(lost);
});

test('a hold that was captured before it was released is settled with that, and its upsell is not charged', () => {
  const decision = 'released';
  const settled = { kind: 'finish', status: 'settled', upsellDeclined: false };
  expect(next(captured, { decision })).toEqual(settled);
  const refused = [main, payment('release', 'declined', 'already_captured')];
  expect(next(refused, { decision })).toEqual({ kind: 'find capture', attemptNo: 1, since: at(0) });
  expect(next(refused, { decision, notListed: true })).toEqual(settled);
});
