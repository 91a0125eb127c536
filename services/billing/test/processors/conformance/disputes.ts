import { expect, test } from 'vitest';
import type { ProcessorRecord } from '../../../src/processors/port.ts';
import { about, charged, dayMs, held, recordsOf, type Suite, succeeded } from './suite.ts';

export function describeDisputes(suite: Suite): void {
  test.each(['charge', 'capture'] as const)(
    'a disputed %s is a record with how it stands, and is not refunded',
    async (kind) => {
      const since = suite.subject().now();
      const card = { paymentMethod: suite.cards.disputed };
      const hold = kind === 'charge' ? undefined : about(suite, await held(suite, card), 4_900);
      const money =
        hold === undefined ? await charged(suite, card) : succeeded(await suite.processor.capture(hold, suite.call()));
      const records = await disputesOf(suite, since, money.reference);
      expect(records).toMatchObject([
        { kind: 'dispute', about: money.reference, status: 'succeeded', amountCents: 4_900, currency: 'usd' },
      ]);
      const [dispute] = records.flatMap((record) => record.dispute ?? []);
      expect(dispute).toMatchObject({
        amountCents: 4_900,
        currency: 'usd',
        status: 'needs_response',
        refundable: false,
      });
      if (hold !== undefined) expect(dispute?.paymentId).toBe(hold.paymentId);
      expect(dispute?.reason).toMatch(/^[a-z_]+$/);
      const now = suite.subject().now().getTime();
      expect(dispute?.evidenceDueBy?.getTime()).toBeGreaterThan(now);
      expect(dispute?.evidenceDueBy?.getTime()).toBeLessThan(now + 60 * dayMs);
      expect(await suite.processor.readDispute(dispute?.reference ?? '', suite.call())).toEqual(dispute);
      const refund = await suite.processor.refund(about(suite, money, 4_900), suite.call());
      expect(refund).toMatchObject({ status: 'declined', reason: 'charge_disputed' });
    },
  );

  test('a dispute that does not exist cannot be read', async () => {
    await expect(suite.processor.readDispute('du_1none', suite.call())).rejects.toThrow();
  });
}

/** The bank's word takes a processor some seconds: a minute at most. */
const waitsMax = 30;

async function disputesOf(suite: Suite, since: Date, about: string): Promise<readonly ProcessorRecord[]> {
  for (let waits = 0; ; waits += 1) {
    const records = (await recordsOf(suite, since)).filter(({ dispute }) => dispute?.about === about);
    if (records.length > 0 || waits === waitsMax) return records;
    await suite.subject().passTime(1_000);
  }
}
