import { newIdSuffix } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import type { FakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { openForFile } from '@app/testing/opened';
import { type OpenedDatabase, openMigratedDatabase } from '@app/testing/opened-database';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import type { ProcessorName } from '../src/processors/processor-registry.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Replicas, startReplicas } from './payment-replicas.ts';
import { StripeStandIn } from './stripe/stripe-stand-in.ts';

/** Of the test file that is running: what it called says which of them are there. */
export let replicas: Replicas;
export let harness: Harness;
export let stripe: StripeStandIn;
export let storage: OpenedDatabase;
export let database: Database;
/** Of the replicas or the service that the file opened: files before it in the process leave theirs. */
let clock: Pick<FakeClock, 'nowMs'>;

/** Called at the top of a test file: opens billing without NATS. Each test begins on an empty database, at a time of its clock. */
export function openReplicas(startsAt = '2026-03-15T12:00:00.000Z'): void {
  guardLeaks();
  openReplicasOf('simulated', startsAt);
}

/**
 * Called in a `describe` of a file that guards leaks: billing charges through this processor.
 * @param losesRequests whether tests make requests to it fail on their way
 */
export function openReplicasOf(
  processor: ProcessorName,
  startsAt = '2026-03-15T12:00:00.000Z',
  { losesRequests = false } = {},
): void {
  beforeAll(async () => {
    replicas = await startReplicas(processor, losesRequests);
    ({ clock } = replicas);
  });
  afterAll(() => replicas.close());
  beforeEach(async () => {
    await replicas.clear();
    replicas.clock.set(startsAt);
  });
}

type Settings = Parameters<typeof startHarness>[0];

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(settings: Settings = {}): void {
  openForFile(async () => {
    harness = await startHarness(settings);
    ({ clock } = harness);
    return harness;
  });
}

/** The same, at a stand-in of Stripe. @param ahead how far its clock is before ours, in milliseconds */
export function startServiceAtStripe(settings: Settings = {}, ahead = (): number => 0): void {
  guardLeaks();
  beforeAll(async () => {
    stripe = await StripeStandIn.start({ nowMs: () => harness.clock.nowMs() + ahead() });
    harness = await startHarness({ STRIPE_PROCESSOR: 'enabled', STRIPE_API_URL: stripe.url, ...settings });
    ({ clock } = harness);
  });
  afterAll(async () => {
    await harness.close();
    await stripe.close();
  });
}

/** Called at the top of a test file: opens billing's database, without anything of billing that works on it. */
export function openStorage(): void {
  openForFile(async () => {
    storage = await openMigratedDatabase('billing', migrate, databaseOptions);
    ({ database } = storage);
    return storage;
  });
}

/** The context of a new command of the account's. */
export const commandOf = (accountId: string) => ({
  accountId,
  requestId: 'r',
  commandId: newIdSuffix(clock.nowMs()),
});
