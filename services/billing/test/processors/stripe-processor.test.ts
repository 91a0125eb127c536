import { newId } from '@app/contracts/ids';
import { openDatabase } from '@app/service-kit/database';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { createMigratedDatabase } from '@app/testing/postgres';
import { databaseOptions, migrate } from '../../src/db/migrate.ts';
import { openStripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';
import { testMethods } from '../stripe/test-methods.ts';
import { describeProcessor } from './conformance/processor-conformance.ts';
import type { ConformanceCards } from './conformance/suite.ts';

const cards: ConformanceCards = {
  ...testMethods,
  refused: 'pm_standin_refuses',
  laterConfirmed: 'pm_standin_later',
  laterRefused: 'pm_standin_later_refuses',
  captureDeclined: 'pm_standin_capture_refused',
  refundDeclined: 'pm_standin_refund_refused',
  answerLost: 'pm_standin_answer_lost',
  requestLost: 'pm_standin_request_lost',
};

describeProcessor('stripe', cards, async () => {
  const clock: FakeClock = fakeClock('2026-03-15T12:00:00.000Z');
  const own = await createMigratedDatabase('billing', migrate);
  const database = await openDatabase(databaseOptions(own.url));
  const stripe = await StripeStandIn.start(clock);
  stripe.accept('sk_live_shop');
  stripe.accept('sk_test_shop');
  const processor = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 15_000 });
  return {
    processor,
    accountId: newId('account', clock.nowMs()),
    secretKey: 'sk_live_shop',
    testSecretKey: 'sk_test_shop',
    refusedKey: 'sk_live_revoked',
    now: () => clock.now(),
    buyerDecides: async (url) => void (await fetch(url, { redirect: 'manual' })),
    callRecorded: (paymentId) => stripe.arrived(paymentId),
    passTime: (ms) => clock.advance(ms),
    close: async () => {
      processor.close();
      await stripe.close();
      await database.close();
      await own.close();
    },
  };
});
