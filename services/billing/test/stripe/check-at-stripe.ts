import { newId } from '@app/contracts/ids';
import { openDatabase } from '@app/service-kit/database';
import { createMigratedDatabase } from '@app/testing/postgres';
import { beforeEach, type TestContext } from 'vitest';
import { databaseOptions, migrate } from '../../src/db/migrate.ts';
import { createStripePace } from '../../src/processors/stripe/stripe-pace.ts';
import { openStripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { describeProcessor } from '../processors/conformance/processor-conformance.ts';
import type { ConformanceCards } from '../processors/conformance/suite.ts';
import { describeAccount } from './describe-account.ts';
import { testKeyProblem } from './test-key.ts';
import { testMethods } from './test-methods.ts';

/** Stripe has no test methods for captures and refunds that are declined, or for a network that loses requests. */
const cards: ConformanceCards = {
  ...testMethods,
  refused: 'pm_card_authenticationRequired',
  laterConfirmed: 'pm_card_authenticationRequired',
};

/** What the books' tests leave between two payments; Stripe counts whole seconds. */
const shortMs = 1_000;
const deadlineMs = 15_000;

export interface CheckedStripe {
  readonly apiUrl: string;
  /** Of a test mode. */
  readonly secretKey: string | undefined;
  /** Of the same account and mode; without it, whether it fits is not checked. */
  readonly publishableKey: string | undefined;
  /** Of the same account and mode; without it, what such a key lacks is not checked. */
  readonly restrictedKey: string | undefined;
  /** How many requests it takes for each endpoint. */
  readonly perSecond: number;
  nowMs(): number;
  /** Resolves when Stripe's time is that much later. */
  wait(ms: number): Promise<void>;
}

/**
 * The conformance suite with nothing but a test key. A test that needs a day to pass or a bank's page is skipped when it gets there,
 * with that reason.
 * @param open called before the first test
 */
export function checkAtStripe(open: () => Promise<CheckedStripe>): void {
  let running: TestContext;
  beforeEach((context) => {
    running = context;
  });
  const opened = async () => {
    const { apiUrl, secretKey, perSecond, nowMs, wait, ...keys } = await open();
    const problem = testKeyProblem(secretKey);
    if (problem !== undefined || secretKey === undefined) throw new Error(problem);
    const own = await createMigratedDatabase('billing', migrate);
    const database = await openDatabase(databaseOptions(own.url));
    const processor = openStripeProcessor(database, {
      apiUrl,
      deadlineMs,
      pace: createStripePace(database, perSecond),
    });
    return {
      ...keys,
      apiUrl,
      processor,
      accountId: newId('account', Date.now()),
      secretKey,
      hasTestModeAlone: true as const,
      refusedKey: 'sk_test_revoked',
      // What happens in this second is not before now.
      now: () => new Date(Math.floor(nowMs() / 1_000) * 1_000),
      buyerDecides: async () => running.skip('a bank’s page waits for a person'),
      callRecorded: async () => running.skip('Stripe does not say that a request arrived before it answers'),
      passTime: async (ms: number) => {
        if (ms > shortMs) running.skip('Stripe’s time cannot be moved');
        await wait(2 * shortMs);
      },
      close: async () => {
        processor.close();
        await database.close();
        await own.close();
      },
    } as const;
  };
  describeProcessor('stripe by a test key', cards, opened);
  describeAccount(opened);
}
