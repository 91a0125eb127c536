import { once } from 'node:events';
import { startPart } from '../child-processes.ts';
import type { Sale, SystemUnderTest } from '../system.ts';

export interface PacedPlan {
  readonly url: string;
  readonly apiKey: string;
  readonly sale: Sale;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Times are milliseconds since the epoch. */
export interface PacedOrder {
  readonly orderId: string;
  readonly sentMs: number;
  readonly answeredMs: number;
}

interface PacedResult {
  readonly orders: PacedOrder[];
  readonly failed: number;
}

/** Orders at a fixed rate; returns when the last one is answered. */
export async function sendPaced(system: SystemUnderTest, perSecond: number, seconds: number): Promise<PacedResult> {
  const { child } = await startPart(new URL('./paced-sender.ts', import.meta.url), process.env);
  const plan: PacedPlan = { url: system.ordersUrl, apiKey: system.apiKey, sale: system.sale, perSecond, seconds };
  const finished = once(child, 'message');
  child.send(plan);
  const [result] = (await finished) as [PacedResult];
  child.disconnect();
  return result;
}
