import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { OtherPaymentError } from '../../../src/processors/port.ts';
import { about, held, lookedUp, recordsOf, type Suite, succeeded } from './suite.ts';

export function describeBooks(suite: Suite): void {
  test('look-up gives the answer of every kind of payment, and null for an id that never arrived', async () => {
    const { processor } = suite;
    const hold = suite.request();
    const authorized = succeeded(await processor.authorize(hold, suite.call()));
    const capture = about(suite, authorized, 4_900);
    const captured = succeeded(await processor.capture(capture, suite.call()));
    const refund = about(suite, captured, 4_900);
    const refunded = await processor.refund(refund, suite.call());
    const declined = suite.request({ paymentMethod: suite.cards.declinedHard });
    const no = await processor.charge(declined, suite.call());
    expect(await lookedUp(suite, 'authorize', hold)).toEqual(authorized);
    expect(await lookedUp(suite, 'capture', capture)).toEqual(captured);
    expect(await lookedUp(suite, 'refund', refund)).toEqual(refunded);
    expect(await lookedUp(suite, 'charge', declined)).toEqual(no);
    expect(await lookedUp(suite, 'charge', suite.request())).toBeNull();
  });

  test('look-up of another operation, amount or currency than the key had is an error that says what it had', async () => {
    const request = suite.request();
    const { reference } = succeeded(await suite.processor.charge(request, suite.call()));
    const { amountCents, currency } = request;
    const had = new OtherPaymentError({ reference, kind: 'charge', status: 'succeeded', amountCents, currency });
    await expect(lookedUp(suite, 'authorize', request)).rejects.toThrow(had);
    await expect(lookedUp(suite, 'charge', { ...request, amountCents: 5_000 })).rejects.toThrow(had);
    await expect(lookedUp(suite, 'charge', { ...request, currency: 'eur' })).rejects.toThrow(had);
  });

  test('another account, and a rehearsal, do not see a payment', async () => {
    const request = suite.request();
    const since = suite.subject().now();
    const paid = succeeded(await suite.processor.charge(request, suite.call()));
    const elsewhere = [suite.call({ accountId: newId('account', Date.now()) })];
    if (!suite.subject().hasTestModeAlone) elsewhere.push(suite.call({ test: true }));
    for (const call of elsewhere) {
      expect(await lookedUp(suite, 'charge', request, call)).toBeNull();
      expect((await recordsOf(suite, since, call)).map(({ paymentId }) => paymentId)).not.toContain(request.paymentId);
      await expect(suite.processor.refund(about(suite, paid, 4_900), call)).rejects.toThrow();
    }
  });

  test('a reference that does not exist is an error, not a decline', async () => {
    const nothing = { status: 'succeeded', reference: 'no such reference' } as const;
    for (const method of ['capture', 'refund', 'release'] as const) {
      await expect(suite.processor[method](about(suite, nothing, 100), suite.call())).rejects.toThrow();
    }
  });

  test('the list has every kind of record, once, oldest first', async () => {
    await suite.subject().passTime(1_000);
    const since = suite.subject().now();
    const hold = await held(suite);
    await suite.subject().passTime(1_000);
    const capture = succeeded(await suite.processor.capture(about(suite, hold, 4_000), suite.call()));
    await suite.subject().passTime(1_000);
    const refund = succeeded(await suite.processor.refund(about(suite, capture, 4_000), suite.call()));
    await suite.subject().passTime(1_000);
    await suite.processor.charge(suite.request({ paymentMethod: suite.cards.declinedSoft }), suite.call());
    await suite.subject().passTime(1_000);
    const other = await held(suite);
    const release = succeeded(await suite.processor.release(about(suite, other, 4_900), suite.call()));
    const records = await recordsOf(suite, since);
    expect(records.map(({ kind, status, amountCents }) => [kind, status, amountCents])).toEqual([
      ['hold', 'succeeded', 4_900],
      ['capture', 'succeeded', 4_000],
      ['refund', 'succeeded', 4_000],
      ['charge', 'declined', 4_900],
      ['hold', 'succeeded', 4_900],
      ['release', 'succeeded', 4_900],
    ]);
    const references = [hold, capture, refund, other, release].map(({ reference }) => reference);
    expect(records.map(({ reference }) => reference)).toEqual(expect.arrayContaining(references));
    const parents = records.filter(({ kind }) => kind === 'capture' || kind === 'refund' || kind === 'release');
    expect(parents.map((record) => record.about)).toEqual([hold.reference, capture.reference, other.reference]);
    expect(records.filter(({ orderId }) => orderId === null)).toEqual([]);
    const times = records.map(({ recordedAt }) => recordedAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(records.map(({ message }) => message === null)).toEqual([true, true, true, false, true, true]);
  });

  test('a range begins with `from` and ends before `to`; ranges that overlap repeat their records', async () => {
    await suite.subject().passTime(1_000);
    const first = suite.request();
    const start = suite.subject().now();
    await suite.processor.charge(first, suite.call());
    await suite.subject().passTime(1_000);
    const middle = suite.subject().now();
    const second = suite.request();
    await suite.processor.charge(second, suite.call());
    await suite.subject().passTime(1_000);
    const end = suite.subject().now();
    const between = async (from: Date, to: Date) => {
      const found: (string | null)[] = [];
      for await (const record of suite.processor.list(from, to, suite.call())) found.push(record.paymentId);
      return found;
    };
    expect(await between(start, middle)).toEqual([first.paymentId]);
    expect(await between(middle, end)).toEqual([second.paymentId]);
    expect(await between(start, end)).toEqual([first.paymentId, second.paymentId]);
    expect(await between(end, new Date(end.getTime() + 1_000))).toEqual([]);
  });
}
