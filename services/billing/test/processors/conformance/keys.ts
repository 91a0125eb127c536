import { expect, test } from 'vitest';
import { about, held, lookedUp, recordsOf, type Suite, succeeded } from './suite.ts';

export function describeKeys(suite: Suite): void {
  test('twenty sendings of one key at once are one charge, with one answer', async () => {
    const since = suite.subject().now();
    const request = suite.request();
    const sent = Array.from({ length: 20 }, () => suite.processor.charge(request, suite.call()));
    const answers = await Promise.all(sent);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const records = (await recordsOf(suite, since)).filter(({ paymentId }) => paymentId === request.paymentId);
    expect(records).toHaveLength(1);
  });

  test('twenty captures, and twenty refunds, under one key at once take the money once', async () => {
    const hold = await held(suite, { amountCents: 1_000 });
    const capture = about(suite, hold, 600);
    const captures = await Promise.all(
      Array.from({ length: 20 }, () => suite.processor.capture(capture, suite.call())),
    );
    expect(new Set(captures.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const refund = about(suite, succeeded(captures[0] ?? null), 400);
    const refunds = await Promise.all(Array.from({ length: 20 }, () => suite.processor.refund(refund, suite.call())));
    expect(new Set(refunds.map((answer) => JSON.stringify(answer))).size).toBe(1);
    succeeded(refunds[0] ?? null);
    // 200 are left of the 600: the first refund was counted once.
    succeeded(await suite.processor.refund(about(suite, succeeded(captures[0] ?? null), 200), suite.call()));
  });

  test('a decline is the answer to every later sending of its key', async () => {
    const request = suite.request({ paymentMethod: suite.cards.declinedSoft });
    const first = await suite.processor.charge(request, suite.call());
    expect(await suite.processor.charge(request, suite.call())).toEqual(first);
  });

  test.each([
    { changed: 'amount', over: { amountCents: 5_000 } },
    { changed: 'currency', over: { currency: 'eur' } },
    { changed: 'card', over: { paymentMethod: 'another card' } },
  ])('a key is refused with another $changed, and nothing is charged', async ({ over }) => {
    const since = suite.subject().now();
    const request = suite.request();
    const first = succeeded(await suite.processor.charge(request, suite.call()));
    await expect(suite.processor.charge({ ...request, ...over }, suite.call())).rejects.toThrow();
    expect(await lookedUp(suite, 'charge', request)).toEqual(first);
    const records = (await recordsOf(suite, since)).filter(({ paymentId }) => paymentId === request.paymentId);
    expect(records.map(({ amountCents, currency }) => [amountCents, currency])).toEqual([[4_900, 'usd']]);
  });

  test('an API key that is not accepted does nothing with any sending, and look-up and list throw', async () => {
    const hold = await held(suite);
    const since = suite.subject().now();
    const refused = suite.call({ secretKey: suite.subject().refusedKey });
    const request = suite.request();
    const { paymentMethod: _, returnUrl: __, ...charge } = suite.request();
    const { savedMethod = '' } = hold;
    const nothing = { status: 'not_done', why: 'key_refused', message: expect.stringMatching(/\S/) };
    expect(await suite.processor.authorize(request, refused)).toEqual(nothing);
    expect(await suite.processor.charge(request, refused)).toEqual(nothing);
    expect(await suite.processor.saveMethod({ ...request, amountCents: 0 }, refused)).toEqual(nothing);
    expect(await suite.processor.chargeSaved({ ...charge, savedMethod }, refused)).toEqual(nothing);
    for (const method of ['capture', 'refund', 'release'] as const) {
      expect(await suite.processor[method](about(suite, hold, 4_900), refused)).toEqual(nothing);
    }
    await expect(lookedUp(suite, 'charge', request, refused)).rejects.toThrow();
    await expect(recordsOf(suite, since, refused)).rejects.toThrow();
    expect(await lookedUp(suite, 'charge', request)).toBeNull();
    // Nothing is kept under the key: it may be any other payment's.
    succeeded(await suite.processor.charge({ ...request, amountCents: 1_000 }, suite.call()));
    succeeded(await suite.processor.capture(about(suite, hold, 4_900), suite.call()));
  });

  test('a key is refused for another operation', async () => {
    const request = suite.request();
    await suite.processor.charge(request, suite.call());
    await expect(suite.processor.authorize(request, suite.call())).rejects.toThrow();
    await expect(suite.processor.saveMethod({ ...request, amountCents: 0 }, suite.call())).rejects.toThrow();
  });
}
