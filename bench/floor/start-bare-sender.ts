import { once } from 'node:events';
import { startPart } from '../child-processes.ts';

export interface BarePlan {
  readonly url: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  /** Requests at once, each on a connection of its own. */
  readonly concurrency: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Where each answered request is recorded, in a table of its own; null: nowhere. */
  readonly databaseUrl: string | null;
}

export interface BareResult {
  /** And recorded, where that is requested. */
  readonly sent: number;
  readonly failed: number;
  readonly seconds: number;
}

export interface BareSender {
  readonly pid: number;
  /** When its time is over. */
  readonly result: Promise<BareResult>;
  stop(): Promise<void>;
}

/** Requests as fast as undici makes them; resolves when the warm-up is over. */
export async function startBareSender(plan: BarePlan): Promise<BareSender> {
  const { child, pid, stop } = await startPart(new URL('./bare-sender.ts', import.meta.url), process.env);
  const started = once(child, 'message');
  child.send(plan);
  await started;
  const result = once(child, 'message').then(([said]) => said as BareResult);
  return { pid, result, stop };
}
