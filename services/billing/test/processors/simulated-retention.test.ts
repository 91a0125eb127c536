import { newId } from '@app/contracts/ids';
import { deleteExpired } from '@app/service-kit/retention';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { retention } from '../../src/db/retention.ts';
import { simulatedCallRecorded } from '../../src/points/points.ts';
import type { ProcessorCall, SentOutcome } from '../../src/processors/port.ts';
import { database, storage } from '../set-up.ts';
import { clock, openSimulated, processor } from './simulated-set-up.ts';

openSimulated();

const dayMs = 86_400_000;
const money = { amountCents: 4_900, currency: 'usd' };
const about = { customerEmail: 'ada@example.com', orderId: 'ord_1' };
const paymentId = () => newId('payment', Date.now());
const callOf = (accountId: string, signal = AbortSignal.timeout(60_000)): ProcessorCall => ({
  ...{ accountId, secretKey: undefined, test: false, signal },
});
const charge = (call: ProcessorCall, paymentMethod = 'sim_ok', id = paymentId()) =>
  processor.charge({ paymentId: id, ...money, ...about, paymentMethod, returnUrl: null }, call);
const succeeded = (outcome: SentOutcome) => {
  if (outcome.status !== 'succeeded') throw new Error(`it is ${outcome.status}`);
  return outcome;
};
const entriesOf = async (accountId: string): Promise<string[]> =>
  (
    await query<{ kind: string }>(
      storage.url,
      'select kind from simulated_processor.entries where account_id = $1 order by seq',
      [accountId],
    )
  ).map(({ kind }) => kind);

/** What the hourly run does, so many days later. */
async function runAfter(days: number): Promise<void> {
  clock.advance(days * dayMs);
  await deleteExpired(database, retention(clock));
}

test('an entry stays for thirteen months after the last one that is about it, and no longer', async () => {
  const [plain, refunded, renewed] = [newId('account', 1), newId('account', 2), newId('account', 3)];
  await charge(callOf(plain));
  const { reference } = succeeded(await charge(callOf(refunded)));
  const { savedMethod = '' } = succeeded(await charge(callOf(renewed)));
  const renew = () =>
    processor.chargeSaved({ paymentId: paymentId(), ...money, ...about, savedMethod }, callOf(renewed));
  await runAfter(395);
  expect(await entriesOf(plain)).toEqual(['charge']);
  // A yearly subscription renews, and a buyer gets the money back, until the last day.
  succeeded(await processor.refund({ paymentId: paymentId(), reference, ...money }, callOf(refunded)));
  succeeded(await renew());
  await runAfter(2);
  expect(await entriesOf(plain)).toEqual([]);
  expect(await entriesOf(refunded)).toEqual(['charge', 'refund']);
  succeeded(await renew());
  await runAfter(397);
  expect([await entriesOf(refunded), await entriesOf(renewed)]).toEqual([[], []]);
});

test('a lost sending is remembered for 90 days: it is not sent again by then', async () => {
  const accountId = newId('account', 4);
  const lost = async () =>
    (await query(storage.url, 'select 1 from simulated_processor.lost_sendings where account_id = $1', [accountId]))
      .length;
  const limit = new AbortController();
  const id = paymentId();
  const silent = expect(charge(callOf(accountId, limit.signal), 'sim_timeout_before', id)).rejects.toThrow();
  await announced(simulatedCallRecorded, (call) => call.paymentId === id && call.lost);
  expect(await lost()).toBe(1);
  limit.abort(new Error('the deadline has passed'));
  await silent;
  await runAfter(89);
  expect(await lost()).toBe(1);
  await runAfter(2);
  expect(await lost()).toBe(0);
});

test('searching for what is due with nothing due reads few pages, however many entries there are', async () => {
  const accountId = newId('account', 5);
  const entries = volume(5_000, 20_000);
  await query(
    storage.url,
    `insert into simulated_processor.entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency,
       order_id, parameters, recorded_at)
     select $1, false, 'pay_' || n, 'ref_' || n, 'charge', 'succeeded', 100, 'usd', 'ord', repeat('x', 200), $2::timestamptz
     from generate_series(1, $3) as n`,
    [accountId, clock.now(), entries],
  );
  await query(storage.url, 'analyze simulated_processor.entries');
  for (const { statement, limit } of retention(clock).filter((rule) =>
    rule.statement().text.includes('simulated_processor'),
  )) {
    const [row] = await query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      storage.url,
      `explain (analyze, buffers, format json) ${statement().text}`,
      [limit(), entries],
    );
    const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = row?.['QUERY PLAN'][0]?.Plan ?? {};
    expect(hit + read).toBeLessThan(50);
  }
});
