import { type Listening, startPart } from '../child-processes.ts';

export interface Received {
  /** Answered requests, repeated ones too. */
  readonly requests: number;
  /** Webhook-id and when its first request began to come, in milliseconds since the epoch; only when requested. */
  readonly arrivals: (readonly [string, number])[];
}

export interface Sink extends Listening {
  count(): Promise<number>;
  arrivals(): Promise<Map<string, number>>;
  /** Forgets everything. */
  reset(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const { pid, ready, request, stop } = await startPart(new URL('./sink.ts', import.meta.url), process.env);
  return {
    pid,
    url: `http://127.0.0.1:${ready.port}`,
    count: async () => (await request<Received>('count')).requests,
    arrivals: async () => new Map((await request<Received>('arrivals')).arrivals),
    reset: async () => void (await request('reset')),
    stop,
  };
}
