import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, TestRunner } from 'vitest';
import { createArrivals } from './arrivals.ts';

export interface ReceivedRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Epoch milliseconds of real time when the body was complete. */
  atMs: number;
}

export interface ReceiverResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
}

/** `n` counts the requests from 1. */
export type Responder = (req: ReceivedRequest, n: number) => ReceiverResponse | Promise<ReceiverResponse>;

export interface Receiver {
  url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves with the first `count` requests that match, as soon as their bodies are complete and before they are answered. */
  received(count: number, matches?: (req: ReceivedRequest) => boolean): Promise<ReceivedRequest[]>;
  /** Forgets the requests so far. */
  forget(): void;
  respondWith(responder: Responder): void;
  close(): Promise<void>;
}

/**
 * A webhook receiver on 127.0.0.1; answers 200 by default. One that a test or its `beforeEach` starts closes
 * itself when the test is over.
 */
export async function startReceiver(options: { port?: number; respond?: Responder } = {}): Promise<Receiver> {
  const arrivals = createArrivals<ReceivedRequest>();
  const closing = new AbortController();
  let responder: Responder = options.respond ?? (() => ({ status: 200 }));
  const server = createServer((req, res) => {
    void receive(req)
      .then((received) => {
        arrivals.push(received);
        return answer(res, received, arrivals.list.length);
      })
      .catch(() => res.destroy());
  });
  async function answer(res: ServerResponse, received: ReceivedRequest, n: number): Promise<void> {
    const response = await responder(received, n);
    if (response.delayMs) await sleep(response.delayMs, undefined, { signal: closing.signal });
    res.writeHead(response.status, response.headers);
    res.end(response.body ?? '');
  }
  // A connection that the receiver closed just when its sender used it again would cost the sender an attempt.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
  });
  const close = async (): Promise<void> => {
    closing.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: arrivals.list,
    received: (count, matches) => arrivals.wait(count, { what: 'requests', ...(matches && { matches }) }),
    forget: arrivals.clear,
    respondWith(next) {
      responder = next;
    },
    close,
  };
}

async function receive(req: IncomingMessage): Promise<ReceivedRequest> {
  const body = await text(req);
  return { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body, atMs: Date.now() };
}
