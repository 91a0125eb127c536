import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { beyondRepair, readiness } from '@app/service-kit/service';
import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';

/** Within the second that a probe waits, also when a service hangs. */
const neighbourLimitMs = 500;
/** However often anybody asks, the services are asked once a second. */
const rememberMs = 1_000;

/**
 * For probes and people; no key, no rate limit. A gateway that lacks a service is still worth sending requests to: what
 * that service does not do works, and no other gateway has it either. So it is degraded, and not out of rotation.
 */
export function routeHealth(server: FastifyInstance, app: App): void {
  server.get('/healthz', async (_, reply) => {
    const missing = beyondRepair(app.checks);
    return missing.length === 0 ? { status: 'ok' } : reply.code(503).send({ status: 'not alive', missing });
  });
  const silentServices = rememberFor(rememberMs, () => findSilent(app));
  server.get('/readyz', async (_, reply) => {
    const [own, silent] = await Promise.all([readiness(app.checks), silentServices()]);
    if (!own.ready) return reply.code(503).send({ status: 'not ready', missing: own.missing });
    return { status: silent.length === 0 ? 'ok' : 'degraded', missing: silent };
  });
}

async function findSilent({ requester }: App): Promise<ServiceName[]> {
  const { asks } = topology.gateway;
  const answers = await Promise.all(asks.map((service) => requester.reaches(service, neighbourLimitMs)));
  return asks.filter((_, index) => answers[index] !== true);
}

function rememberFor<T>(limitMs: number, find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  let foundMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (found === undefined || nowMs - foundMs > limitMs) {
      found = find();
      foundMs = nowMs;
    }
    return found;
  };
}
