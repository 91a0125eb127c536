import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import type { ProcessorCall, SentOutcome } from '../../src/processors/port.ts';
import { readBookEntries, readOrderBooks } from '../../src/processors/simulated/simulated-books.ts';
import { clock, openSimulated, processor, run } from './simulated-set-up.ts';

openSimulated();

const paymentId = () => newId('payment', Date.now());
const callOf = (accountId: string, isTest = false): ProcessorCall => ({
  accountId,
  secretKey: undefined,
  test: isTest,
  signal: AbortSignal.timeout(60_000),
});
const card = (orderId: string, amountCents: number, paymentMethod = 'sim_ok') => ({
  paymentId: paymentId(),
  amountCents,
  currency: 'usd',
  paymentMethod,
  customerEmail: 'ada@example.com',
  orderId,
  returnUrl: null,
});
const referenceOf = (outcome: SentOutcome): string =>
  outcome.status === 'declined' || outcome.status === 'not_done' ? '' : outcome.reference;

test('the books say of each order what is held, charged, captured and refunded, rehearsals apart', async () => {
  const accountId = newId('account', Date.now());
  const call = callOf(accountId);
  const [first, second, third] = ['ord_1', 'ord_2', 'ord_3'] as const;
  const money = { amountCents: 3_000, currency: 'usd' };
  const hold = referenceOf(await processor.authorize(card(first, 4_900), call));
  const capture = referenceOf(await processor.capture({ paymentId: paymentId(), reference: hold, ...money }, call));
  await processor.refund({ paymentId: paymentId(), reference: capture, ...money, amountCents: 1_000 }, call);
  await processor.charge(card(first, 700), call);
  await processor.authorize(card(second, 5_000), call);
  await processor.charge(card(second, 5_000, 'sim_declined'), call);
  await processor.charge(card(second, 6_000, 'sim_action_ignored'), call);
  await processor.charge(card(third, 100), callOf(accountId, true));
  const books = { currency: 'usd', test: false, heldCents: 0, capturedCents: 0, refundedCents: 0, waiting: 0 };
  expect(await readOrderBooks(run, accountId, clock.now())).toEqual([
    { ...books, orderId: first, chargedCents: 3_700, capturedCents: 3_000, refundedCents: 1_000 },
    { ...books, orderId: second, heldCents: 5_000, chargedCents: 0, waiting: 1 },
    { ...books, orderId: third, chargedCents: 100, test: true },
  ]);
  clock.advance(7 * 86_400_000);
  const [, expired] = await readOrderBooks(run, accountId, clock.now());
  expect(expired).toMatchObject({ orderId: second, heldCents: 0 });
});

test('the books count how often a key arrived', async () => {
  const accountId = newId('account', Date.now());
  const request = card('ord_4', 4_900);
  await processor.charge(request, callOf(accountId));
  await processor.charge(request, callOf(accountId));
  const entries = await readBookEntries(run, accountId, clock.now());
  expect(entries).toEqual([
    expect.objectContaining({ paymentId: request.paymentId, kind: 'charge', status: 'succeeded', sendings: 2 }),
  ]);
});
