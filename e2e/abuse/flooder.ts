import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A seller who floods, as a process of its own: what it costs the client is not measured as the platform's.
 * Its parent sends what to do; it answers with the responses that it got, by status.
 */
export interface Flood {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly handle: string;
  readonly productId: string;
  readonly endpointId: string;
  readonly connections: number;
}
export type FloodMessage = { readonly begin: Flood } | { readonly end: true };
export type FlooderMessage = { readonly receiverUrl: string } | { readonly statuses: Record<string, number> };

type Call = readonly [method: string, path: string, body?: object];

/** One round of every kind of operation that a seller's key and buyers may call, orders and reads most often. */
const callsOf = ({ handle, productId, endpointId }: Flood): Call[] => {
  const order: Call = ['POST', '/api/v1/orders', { productSlug: 'course', email: 'grace@example.com' }];
  return [
    order,
    ['GET', '/api/v1/orders?limit=100'],
    order,
    ['GET', `/api/metrics/${productId}`],
    ['POST', '/api/checkout', { handle, slug: 'course' }],
    order,
    ['GET', '/api/v1/webhook-deliveries?limit=100'],
    ['GET', '/api/v1/products'],
    ['PATCH', `/api/v1/products/${productId}`, { accessUrl: `https://example.com/${Date.now()}` }],
    ['GET', '/api/v1/subscriptions'],
    ['POST', `/api/v1/webhook-endpoints/${endpointId}/test`, {}],
    ['GET', '/api/v1/daily-runs/preview'],
    ['POST', '/api/cron/daily', {}],
  ];
};

const statuses: Record<string, number> = {};
let flooding = false;

async function flood(task: Flood): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
  const calls = callsOf(task);
  const send = ([method, path, body]: Call): Promise<number> =>
    new Promise((resolve) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${task.apiKey}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const sent = request(`${task.baseUrl}${path}`, { method, headers, agent }, (response: IncomingMessage) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
      sent.end(text);
    });
  await Promise.all(
    Array.from({ length: task.connections }, async (_, n) => {
      for (let next = n; flooding; next += 1) {
        const status = await send(calls[next % calls.length] as Call);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  agent.destroy();
}

const report = (message: FlooderMessage): void => void process.send?.(message);

let running: Promise<void> = Promise.resolve();
process.on('message', (message: FloodMessage) => {
  if ('begin' in message) {
    flooding = true;
    running = flood(message.begin);
    return;
  }
  flooding = false;
  void running.then(() => {
    report({ statuses: { ...statuses } });
    for (const status of Object.keys(statuses)) delete statuses[status];
  });
});

const receiver = createServer((req, res) => void req.resume().once('end', () => res.end()));
receiver.listen(0, '127.0.0.1', () =>
  report({ receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` }),
);
