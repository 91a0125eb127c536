import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beyondRepair, type Check, readiness } from './service.ts';

/** `/healthz`: the process lives; 503 when only a new one helps. `/readyz`: its checks pass; else 503 naming what is missing. */
export async function startHealthServer(options: {
  port: number;
  host: string;
  checks: readonly Check[];
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/healthz') {
      const missing = beyondRepair(options.checks);
      return missing.length === 0 ? answer(200, { status: 'ok' }) : answer(503, { status: 'not alive', missing });
    }
    if (request.url !== '/readyz') return answer(404, { status: 'unknown' });
    void readiness(options.checks).then(({ ready, missing }) =>
      answer(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', missing }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
