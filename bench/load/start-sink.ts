import { once } from 'node:events';
import { startPart } from '../child-processes.ts';

export interface Received {
  /** Answered requests, repeated ones too. */
  readonly requests: number;
  /** Webhook-id and when its first request began to come, in milliseconds since the epoch; only when asked for. */
  readonly arrivals: (readonly [string, number])[];
}

export interface Sink {
  readonly pid: number;
  readonly url: string;
  count(): Promise<number>;
  arrivals(): Promise<Map<string, number>>;
  /** Forgets everything. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const { pid, ready, child, stop } = await startPart(new URL('./sink.ts', import.meta.url), process.env);
  const ask = async (question: string): Promise<Received> => {
    const answered = once(child, 'message');
    child.send(question);
    const [arrivals] = (await answered) as [Received];
    return arrivals;
  };
  return {
    pid,
    url: `http://127.0.0.1:${ready.port}`,
    count: async () => (await ask('count')).requests,
    arrivals: async () => new Map((await ask('arrivals')).arrivals),
    reset: async () => void (await ask('reset')),
    stop,
  };
}
