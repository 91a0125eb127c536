import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver } from '../load/start-receiver.ts';
import type { DrainedCounts, OrderWatch } from '../system.ts';
import type { PlatformClient } from './platform-client.ts';

const pollEveryMs = 100;
/** Counts that agree and do not change for this long are final. */
const stillForMs = 1_000;
const giveUpAfterMs = 60_000;

/** Notes where the counts stand; the watch counts from there. */
export async function watchOrders(client: PlatformClient, receiver: Receiver, productId: string): Promise<OrderWatch> {
  const metricsBefore = await client.countInMetrics(productId);
  const newestBefore = await client.newestOrderId();
  await receiver.reset();
  const readCounts = async (): Promise<Counts> => ({
    inMetrics: (await client.countInMetrics(productId)) - metricsBefore,
    atReceiver: (await receiver.count()).orders,
  });
  return {
    waitUntilDrained: (accepted) => waitUntilStill(accepted, readCounts),
    countListed: async () => (await client.listOrdersAfter(newestBefore)).length,
  };
}

interface Counts {
  readonly inMetrics: number;
  readonly atReceiver: number;
}

async function waitUntilStill(accepted: number, read: () => Promise<Counts>): Promise<DrainedCounts> {
  const started = performance.now();
  let changedMs = 0;
  let counts: Counts = { inMetrics: 0, atReceiver: 0 };
  let first = true;
  for (;;) {
    const latest = await read();
    const nowMs = performance.now() - started;
    const same = latest.inMetrics === counts.inMetrics && latest.atReceiver === counts.atReceiver;
    // What the first check finds was there when the load ended.
    if (!(same || first)) changedMs = nowMs;
    counts = latest;
    first = false;
    const agree = counts.inMetrics === counts.atReceiver && counts.inMetrics >= accepted;
    if (agree && nowMs - changedMs >= stillForMs) return { ...counts, seconds: changedMs / 1000 };
    if (nowMs > giveUpAfterMs) return { ...counts, seconds: giveUpAfterMs / 1000 };
    await sleep(pollEveryMs);
  }
}
