/** The step of an exchange that was under way when it ended; `answer` waits for the head of the response. */
export type Stage = 'lookup' | 'connect' | 'tls' | 'answer' | 'body';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How long the steps took, in milliseconds. Those of the connection are null when it was open already. */
export interface Durations {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the request to the head of the response. */
  readonly firstByteMs: number | null;
}

/** The outcome of one HTTP exchange. With `error` set it did not complete, whatever its status code. */
export interface Exchange extends Durations {
  readonly statusCode: number | null;
  readonly error: unknown;
  readonly stage: Stage;
  /** Names in lower case; null when there was no response. */
  readonly headers: ResponseHeaders | null;
  /** The first bytes of the response body; null when there was no response. */
  readonly excerpt: Buffer | null;
  readonly durationMs: number;
  /** That has answered; null when there was no status line. */
  readonly address: string | null;
}

/** What a request that was never sent took and got. */
export const noExchange: Omit<Exchange, 'error'> = {
  statusCode: null,
  stage: 'lookup',
  headers: null,
  excerpt: null,
  durationMs: 0,
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
};

/** A receiver acknowledges by any 2xx status line. What follows it decides nothing: the receiver would get twice what it has. */
export const isAcknowledged = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;

export const isDelivered = ({ statusCode, error }: Pick<Exchange, 'statusCode' | 'error'>): boolean =>
  error === null && isAcknowledged(statusCode);

/**
 * "Gone": the receiver says that nothing is to be sent to this URL any more. There is no retry (`attempt-delivery.ts`): the delivery is
 * held (`failed-attempt.rules.ts`), and the endpoint is switched off (`dispatcher.ts`).
 */
export const goneStatus = 410;

/** The first value of a header of the response. */
export function headerOf(headers: ResponseHeaders | null, name: string): string | null {
  const value = headers?.[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
