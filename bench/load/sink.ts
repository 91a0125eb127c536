/**
 * Takes webhooks, answers 200 at once and notes when each webhook-id first came. In its own process, so that nothing else
 * delays its clock. Started by start-sink.ts. `/dead` is never answered, `/drip` gets a byte of its answer every 200 ms.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Received } from './start-sink.ts';

const dripEveryMs = 200;

let requests = 0;
/** Webhook-id → milliseconds since the epoch; of receivers that answer. */
let arrivals = new Map<string, number>();

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), dripEveryMs);
  response.once('close', () => clearInterval(timer));
}

const server = createServer((request, response) => {
  const arrivedMs = performance.timeOrigin + performance.now();
  const { url = '', headers } = request;
  request.resume();
  if (url.startsWith('/dead')) return;
  if (url.startsWith('/drip')) return drip(response);
  request.on('end', () => {
    requests += 1;
    response.writeHead(200).end();
  });
  const id = headers['webhook-id'];
  if (typeof id === 'string' && !arrivals.has(id)) arrivals.set(id, arrivedMs);
});
// The sender keeps its connections; closing idle ones would cost it a retry in the middle of a measurement.
server.keepAliveTimeout = 120_000;

process.on('message', (question) => {
  if (question === 'reset') {
    requests = 0;
    arrivals = new Map();
  }
  process.send?.({ requests, arrivals: question === 'arrivals' ? [...arrivals] : [] } satisfies Received);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
