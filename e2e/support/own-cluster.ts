import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll } from 'vitest';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { type Seller, signUp } from './seller.ts';

/** Of the test file that is running. */
export let cluster: Cluster;
export let receiver: Receiver;
export let seller: Seller;

/** A delivery that was on its way when its process died is free again after the lease. */
export const shortLeases = { LEASE_SECONDS: '4', ATTEMPT_TIMEOUT_SECONDS: '2' } as const;

/**
 * Called by a test file that kills processes: a cluster of its own, a seller of it, and a receiver.
 * @param options requested after the hooks that were registered before have run
 */
export function startOwnCluster(options: () => ClusterOptions): void {
  beforeAll(async () => {
    receiver = await startReceiver();
    cluster = await startCluster(options());
    seller = await signUp(cluster.baseUrl);
  });
  afterAll(async () => {
    await cluster?.close();
    await receiver?.close();
  });
}
