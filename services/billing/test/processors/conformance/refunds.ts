import { expect, test } from 'vitest';
import {
  about,
  charged,
  dayMs,
  declinedOutcome,
  held,
  lookedUp,
  oneOfTwenty,
  recordsOf,
  type Suite,
  succeeded,
} from './suite.ts';

export function describeRefunds(suite: Suite): void {
  test.each(['charge', 'capture'] as const)('a %s is refunded in parts, up to its amount', async (kind) => {
    const charge =
      kind === 'charge'
        ? await charged(suite)
        : succeeded(await suite.processor.capture(about(suite, await held(suite), 4_900), suite.call()));
    succeeded(await suite.processor.refund(about(suite, charge, 1_900), suite.call()));
    const tooMuch = await suite.processor.refund(about(suite, charge, 3_001), suite.call());
    expect(tooMuch).toMatchObject({ status: 'declined' });
    succeeded(await suite.processor.refund(about(suite, charge, 3_000), suite.call()));
  });

  test('of twenty whole refunds at once with keys of their own one succeeds', async () => {
    const charge = await charged(suite);
    await oneOfTwenty(() => suite.processor.refund(about(suite, charge, 4_900), suite.call()));
  });

  test('a hold, or another currency, is not refunded', async () => {
    const hold = await suite.processor.refund(about(suite, await held(suite), 4_900), suite.call());
    expect(hold).toMatchObject({ status: 'declined' });
    const otherMoney = await suite.processor.refund(about(suite, await charged(suite), 4_900, 'eur'), suite.call());
    expect(otherMoney).toMatchObject({ status: 'declined' });
  });

  test.skipIf(suite.cards.refundDeclined === undefined)('a refund can be declined', async () => {
    const charge = await charged(suite, { paymentMethod: suite.cards.refundDeclined ?? '' });
    const outcome = await suite.processor.refund(about(suite, charge, 4_900), suite.call());
    expect(outcome).toMatchObject({ status: 'declined' });
  });

  test.skipIf(suite.cards.refundFails === undefined)(
    'a refund that fails after it was taken is a further record, is seen by look-up, and leaves the money to refund',
    async () => {
      const since = suite.subject().now();
      const charge = await charged(suite, { paymentMethod: suite.cards.refundFails ?? '' });
      const refund = about(suite, charge, 4_900);
      const taken = succeeded(await suite.processor.refund(refund, suite.call()));
      expect(await lookedUp(suite, 'refund', refund)).toEqual(taken);
      const twice = await suite.processor.refund(about(suite, charge, 4_900), suite.call());
      expect(twice).toMatchObject({ status: 'declined' });
      await suite.subject().passTime(dayMs);
      const failed = await lookedUp(suite, 'refund', refund);
      expect(failed).toEqual(declinedOutcome('soft', 'refund_failed'));
      const records = (await recordsOf(suite, since)).filter(({ reference }) => reference === taken.reference);
      expect(records.map(({ status, paymentId }) => [status, paymentId])).toEqual([
        ['succeeded', refund.paymentId],
        ['failed', refund.paymentId],
      ]);
      expect(records[1]?.message).toMatch(/\S/);
      succeeded(await suite.processor.refund(about(suite, charge, 4_900), suite.call()));
    },
  );
}
