import { readiness } from '@app/service-kit/service';
import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';

/** For probes and people; no key, no rate limit. */
export function routeHealth(server: FastifyInstance, app: App): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const { ready, missing } = await readiness(app.checks);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'not ready', missing });
  });
}
