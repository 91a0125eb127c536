import { type Listening, startPart } from '../child-processes.ts';

interface Received {
  /** Every `order.paid`, repeated ones too. */
  readonly requests: number;
  readonly unsigned: number;
  /** Different orders. */
  readonly orders: number;
  /** Order id → first arrival in milliseconds since the epoch; only when requested. */
  readonly arrivals: Record<string, number>;
}

export interface Receiver extends Listening {
  count(): Promise<Received>;
  arrivals(): Promise<Received>;
  /** Forgets everything. */
  reset(): Promise<Received>;
}

export async function startReceiver(): Promise<Receiver> {
  const { pid, ready, request, stop } = await startPart(new URL('./receiver.ts', import.meta.url), process.env);
  return {
    pid,
    url: `http://127.0.0.1:${ready.port}/webhooks`,
    count: () => request<Received>('count'),
    arrivals: () => request<Received>('arrivals'),
    reset: () => request<Received>('reset'),
    stop,
  };
}
