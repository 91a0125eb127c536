/**
 * The seller's side: takes webhooks, answers 200 at once, remembers when each order's first one came. In its own
 * process, so that nothing else delays its clock. Started by start-receiver.ts.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let requests = 0;
let unsigned = 0;
/** Order id → milliseconds since the epoch. */
let arrivals = new Map<string, number>();

const server = createServer((request, response) => {
  const arrivedMs = Date.now();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    response.writeHead(200).end();
    if (request.headers['x-service-event'] !== 'order.paid') return;
    requests += 1;
    if (request.headers['webhook-signature'] === undefined) unsigned += 1;
    const orderId = /"orderId":"([^"]+)"/.exec(body)?.[1];
    if (orderId !== undefined && !arrivals.has(orderId)) arrivals.set(orderId, arrivedMs);
  });
});
// The sender keeps its connections; closing idle ones would cost it a retry in the middle of a measurement.
server.keepAliveTimeout = 120_000;

process.on('message', (question) => {
  if (question === 'reset') {
    requests = 0;
    unsigned = 0;
    arrivals = new Map();
  }
  const times = question === 'arrivals' ? Object.fromEntries(arrivals) : {};
  process.send?.({ requests, unsigned, orders: arrivals.size, arrivals: times });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
