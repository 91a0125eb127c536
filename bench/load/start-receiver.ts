import { once } from 'node:events';
import { startPart } from '../child-processes.ts';

interface Received {
  /** Every `order.paid`, repeated ones too. */
  readonly requests: number;
  readonly unsigned: number;
  /** Different orders. */
  readonly orders: number;
  /** Order id → first arrival in milliseconds since the epoch; only when asked for. */
  readonly arrivals: Record<string, number>;
}

export interface Receiver {
  readonly pid: number;
  readonly url: string;
  count(): Promise<Received>;
  arrivals(): Promise<Received>;
  /** Forgets everything. */
  reset(): Promise<Received>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const { pid, ready, child, stop } = await startPart(new URL('./receiver.ts', import.meta.url), process.env);
  const ask = async (question: string): Promise<Received> => {
    const answer = once(child, 'message');
    child.send(question);
    const [received] = (await answer) as [Received];
    return received;
  };
  return {
    pid,
    url: `http://127.0.0.1:${ready.port}/webhooks`,
    count: () => ask('count'),
    arrivals: () => ask('arrivals'),
    reset: () => ask('reset'),
    stop,
  };
}
