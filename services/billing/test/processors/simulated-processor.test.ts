import { newId } from '@app/contracts/ids';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { announced } from '@app/testing/points';
import { createMigratedDatabase } from '@app/testing/postgres';
import { migrate } from '../../src/db/migrate.ts';
import { simulatedCallRecorded } from '../../src/points/points.ts';
import { openSimulatedProcessor } from '../../src/processors/simulated/simulated-processor.ts';
import { describeProcessor } from './conformance/processor-conformance.ts';
import type { ConformanceCards } from './conformance/suite.ts';

const cards: ConformanceCards = {
  works: 'sim_ok',
  declinedSoft: 'sim_declined',
  declinedHard: 'sim_lost_card',
  savedDeclined: 'sim_renewal_declined',
  confirmed: 'sim_requires_action',
  refused: 'sim_action_refused',
  laterConfirmed: 'sim_renewal_requires_action',
  laterRefused: 'sim_renewal_action_refused',
  captureDeclined: 'sim_capture_fails',
  refundDeclined: 'sim_refund_declined',
  refundFails: 'sim_refund_fails',
  disputed: 'sim_disputed',
  answerLost: 'sim_timeout_after',
  requestLost: 'sim_timeout_before',
};

describeProcessor('simulated', cards, async () => {
  const clock: FakeClock = fakeClock('2026-03-15T12:00:00.000Z');
  const database = await createMigratedDatabase('billing', migrate);
  const processor = await openSimulatedProcessor({ databaseUrl: database.url, clock });
  return {
    processor,
    accountId: newId('account', clock.nowMs()),
    refusedKey: 'sim_key_revoked',
    now: () => clock.now(),
    // The simulated buyer decides without a page, before the processor is queried.
    buyerDecides: async () => undefined,
    callRecorded: (paymentId) => announced(simulatedCallRecorded, (call) => call.paymentId === paymentId),
    passTime: (ms) => clock.advance(ms),
    close: async () => {
      await processor.close();
      await database.close();
    },
  };
});
