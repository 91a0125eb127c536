import { newId } from '@app/contracts/ids';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { simulatedCallRecorded } from '../../src/points/points.ts';
import type { CardRequest, ProcessorCall, SentOutcome } from '../../src/processors/port.ts';
import { readBookEntries } from '../../src/processors/simulated/simulated-books.ts';
import { storage } from '../set-up.ts';
import { clock, openSimulated, processor, run } from './simulated-set-up.ts';

const slowMs = 100;
openSimulated({ slowMs });

const accountId = newId('account', clock.nowMs());
const call = (over: Partial<ProcessorCall> = {}): ProcessorCall => ({
  accountId,
  secretKey: undefined,
  test: false,
  signal: AbortSignal.timeout(60_000),
  ...over,
});
const request = (paymentMethod: string): CardRequest => ({
  paymentId: newId('payment', Date.now()),
  amountCents: 4_900,
  currency: 'usd',
  paymentMethod,
  customerEmail: 'ada@example.com',
  orderId: newId('order', Date.now()),
  returnUrl: 'https://shop.example/c/shop/course?step=2#pay',
});
const money = { amountCents: 4_900, currency: 'usd' };
/** The books have the payment. */
const recorded = (sent: { paymentId: string }) =>
  announced(simulatedCallRecorded, ({ paymentId }) => paymentId === sent.paymentId);
const entryOf = async ({ paymentId }: { paymentId: string }) =>
  (await readBookEntries(run, accountId, clock.now())).find((entry) => entry.paymentId === paymentId);

async function heldBy(paymentMethod: string) {
  const hold = await processor.authorize(request(paymentMethod), call());
  if (hold.status !== 'succeeded') throw new Error(hold.status);
  return hold;
}
const capture = ({ reference }: { readonly reference: string }) =>
  processor.capture({ paymentId: newId('payment', Date.now()), reference, ...money }, call());

/** Charges the method once more while the buyer is away. */
const chargeAgain = (savedMethod: string, signal = AbortSignal.timeout(60_000)) => {
  const { paymentMethod: _, returnUrl: __, ...rest } = request('');
  const sent = { ...rest, savedMethod };
  return { sent, outcome: processor.chargeSaved(sent, call({ signal })) };
};
const savedMethodOf = (outcome: SentOutcome): string =>
  (outcome.status === 'succeeded' ? outcome.savedMethod : undefined) ?? '';

test.each([
  { token: 'sim_declined', kind: 'soft', reason: 'card_declined' },
  { token: 'sim_insufficient_funds', kind: 'soft', reason: 'insufficient_funds' },
  { token: 'sim_lost_card', kind: 'hard', reason: 'lost_card' },
  { token: 'sim_expired_card', kind: 'hard', reason: 'expired_card' },
  { token: 'toString', kind: 'hard', reason: 'invalid_payment_method' },
])('$token is declined at once: $kind, $reason', async ({ token, kind, reason }) => {
  expect(await processor.charge(request(token), call())).toMatchObject({ status: 'declined', kind, reason });
  expect(await processor.authorize(request(token), call())).toMatchObject({ status: 'declined', kind, reason });
});

test.each([
  { token: 'sim_renewal_declined', kind: 'soft', reason: 'card_declined' },
  { token: 'sim_renewal_insufficient_funds', kind: 'soft', reason: 'insufficient_funds' },
  { token: 'sim_renewal_lost_card', kind: 'hard', reason: 'lost_card' },
  { token: 'sim_renewal_requires_action', kind: 'soft', reason: 'authentication_required' },
])('$token succeeds first, and is declined from then on, also where the first charge was not ours', async (card) => {
  const { token, kind, reason } = card;
  const first = await processor.charge(request(token), call());
  expect(first).toMatchObject({ status: 'succeeded' });
  for (const method of [savedMethodOf(first), token]) {
    for (let round = 0; round < 2; round++) {
      expect(await chargeAgain(method).outcome).toMatchObject({ status: 'declined', kind, reason });
    }
  }
});

test('a token that another buyer charged first is charged as a saved method', async () => {
  expect(await chargeAgain('sim_ok').outcome).toMatchObject({ status: 'succeeded', lastFour: '4242' });
});

test('sim_error_after: the call throws, the charge stands, and the key gets its answer', async () => {
  const sent = request('sim_error_after');
  await expect(processor.charge(sent, call())).rejects.toThrow('broke the connection');
  expect(await entryOf(sent)).toMatchObject({ kind: 'charge', status: 'succeeded', sendings: 1 });
  expect(await processor.charge(sent, call())).toMatchObject({ status: 'succeeded' });
});

test('sim_slow: answers after its delay, and also after the deadline of the call', async () => {
  const startedMs = performance.now();
  const sent = request('sim_slow');
  const limit = new AbortController();
  const charging = processor.charge(sent, call({ signal: limit.signal }));
  // Recorded already: what is waited for is the answer alone.
  await recorded(sent);
  expect(await entryOf(sent)).toMatchObject({ status: 'succeeded' });
  limit.abort(new Error('the deadline has passed'));
  expect(await charging).toMatchObject({ status: 'succeeded' });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(slowMs - 1);
});

test('sim_renewal_timeout_after: a later charge is recorded and never answered; its key is', async () => {
  const method = savedMethodOf(await processor.charge(request('sim_renewal_timeout_after'), call()));
  const limit = new AbortController();
  const { sent, outcome } = chargeAgain(method, limit.signal);
  const unanswered = expect(outcome).rejects.toThrow('the deadline has passed');
  await recorded(sent);
  expect(await entryOf(sent)).toMatchObject({ status: 'succeeded', sendings: 1 });
  limit.abort(new Error('the deadline has passed'));
  await unanswered;
  expect(await processor.chargeSaved(sent, call())).toMatchObject({ status: 'succeeded' });
});

test('sim_hold_expires: its hold has expired when it is captured, and the saved method still pays', async () => {
  const hold = await heldBy('sim_hold_expires');
  expect(hold.captureBefore).toEqual(new Date(clock.nowMs() + 7 * 86_400_000));
  expect(await capture(hold)).toMatchObject({ status: 'declined', reason: 'hold_expired' });
  expect(await chargeAgain(savedMethodOf(hold)).outcome).toMatchObject({ status: 'succeeded' });
});

test('sim_capture_fails: its captures are declined for another reason than time', async () => {
  const hold = await heldBy('sim_capture_fails');
  expect(await capture(hold)).toMatchObject({ status: 'declined', reason: 'capture_failed' });
});

test('a card keeps its behaviour: refunds of a later charge and of a capture fail as those of the first', async () => {
  const hold = await heldBy('sim_refund_declined');
  const charges = [await capture(hold), await chargeAgain(savedMethodOf(hold)).outcome];
  for (const charge of charges) {
    if (charge.status !== 'succeeded') throw new Error(charge.status);
    const refund = { paymentId: newId('payment', Date.now()), reference: charge.reference, ...money };
    expect(await processor.refund(refund, call())).toMatchObject({ status: 'declined', reason: 'refund_declined' });
  }
});

test('sim_requires_action sends the buyer back to where they came from; sim_action_ignored waits for ever', async () => {
  const requested = await processor.charge(request('sim_requires_action'), call());
  if (requested.status !== 'requires_action') throw new Error(requested.status);
  const url = `https://shop.example/c/shop/course?step=2&simulated_confirmation=${requested.reference}#pay`;
  expect(requested.url).toBe(url);
  const ignored = request('sim_action_ignored');
  const waiting = await processor.charge(ignored, call());
  expect(await processor.lookUp({ call: 'charge', request: ignored }, call())).toEqual(waiting);
  clock.advance(86_400_000);
  expect(await processor.lookUp({ call: 'charge', request: ignored }, call())).toEqual(waiting);
});

test('a long list is complete and in order, page after page', async () => {
  const seller = call({ accountId: newId('account', Date.now()) });
  const from = clock.now();
  const sent = Array.from({ length: 450 }, () => request('sim_ok'));
  await Promise.all(sent.map((each) => processor.charge(each, seller)));
  const listed: (string | null)[] = [];
  for await (const { paymentId } of processor.list(from, new Date(clock.nowMs() + 1), seller)) listed.push(paymentId);
  expect(listed).toHaveLength(450);
  expect(new Set(listed)).toEqual(new Set(sent.map(({ paymentId }) => paymentId)));
});

test('the books keep no token of a card', async () => {
  await processor.charge(request('sim_ok'), call());
  await chargeAgain('sim_ok').outcome;
  const rows = await query<{ row: string }>(
    storage.url,
    'select e::text as row from simulated_processor.entries as e union all select l::text from simulated_processor.lost_sendings as l',
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ row }) => /sim_ok|ada@example/.test(row))).toEqual([]);
});
