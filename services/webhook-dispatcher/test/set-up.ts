import { openForFile } from '@app/testing/opened';
import { beforeEach, onTestFinished } from 'vitest';
import type { WorkLimits } from '../src/config.ts';
import { type Harness, startHarness } from './harness.ts';
import { connectedAccount } from './orders.ts';

export type Seller = Awaited<ReturnType<typeof connectedAccount>>;

/** Of the test file that is running. */
export let harness: Harness;
/** Of the test that is running: an account with an endpoint at a receiver of its own. */
export let seller: Seller;
export let endpointId: string;

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(settings: Record<string, string> = {}, limits: Partial<WorkLimits> = {}): void {
  openForFile(async () => {
    harness = await startHarness(settings, limits);
    return harness;
  });
}

/** Until the test is over an attempt may take no longer than a quarter of a second. All other tests leave it its 15 seconds. */
export async function shortenAttempts({ running, start }: Pick<Harness, 'running' | 'start'>): Promise<void> {
  await running.service.close();
  running.service = await start({}, { ATTEMPT_TIMEOUT_SECONDS: 0.25 });
  onTestFinished(async () => {
    await running.service.close();
    running.service = await start();
  });
}

/** Called after `startService`: each test has a seller of its own. */
export function sellerForEachTest(): void {
  beforeEach(async () => actAs(await connectedAccount(harness)));
}

/** The test goes on with another seller. */
export function actAs(other: Seller): void {
  seller = other;
  endpointId = other.endpointId;
}

/**
 * An order is sent to the seller, whose receiver has the request and gives no answer yet.
 * @param status of its answer, once `answer` is called
 */
export async function unansweredOrder(status = 200): Promise<{ answer: () => void }> {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status };
  });
  await seller.publish();
  await seller.receiver.received(1);
  return { answer: gate.resolve };
}
