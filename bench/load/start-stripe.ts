import { startPart } from '../child-processes.ts';

export interface StripeCounts {
  readonly requests: number;
  /** Answered with 429. */
  readonly limited: number;
  /** Requests to one endpoint within a second, at the most. */
  readonly busiestSecond: number;
}

export interface BenchStripe {
  readonly url: string;
  readonly secretKey: string;
  count(): Promise<StripeCounts>;
  /** Saved cards of so many customers. */
  saveCards(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startStripe(): Promise<BenchStripe> {
  const { ready, request, stop } = await startPart(new URL('./stripe.ts', import.meta.url), process.env);
  return {
    url: String(ready.url),
    secretKey: String(ready.secretKey),
    count: () => request<StripeCounts>('count'),
    saveCards: (count) => request<string[]>(`save ${count}`),
    stop,
  };
}
