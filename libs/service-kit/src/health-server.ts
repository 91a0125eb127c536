import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsPage } from './metrics.ts';
import { metricsPageType } from './metrics-page.ts';
import type { ResourceStack } from './resource-stack.ts';
import { beyondRepair, type Check, readiness, warningsOf } from './service.ts';

export interface HealthSettings {
  /** 0 for none. */
  readonly HEALTH_PORT: number;
  readonly HEALTH_HOST: string;
  readonly METRICS_PAGE: 'enabled' | 'disabled';
}

/** Serves health, and the page of metrics if it is wanted, on the health port if there is one. */
export async function addHealthServer(
  config: HealthSettings,
  checks: readonly Check[],
  resources: ResourceStack,
): Promise<void> {
  if (config.HEALTH_PORT === 0) return;
  const where = { port: config.HEALTH_PORT, host: config.HEALTH_HOST };
  const page = config.METRICS_PAGE === 'enabled' ? metricsPage : undefined;
  const health = await startHealthServer({ ...where, checks, metricsPage: page });
  resources.add('health', health, (server) => server.close());
}

/**
 * `/healthz`: the process lives; 503 when only a new one helps. `/readyz`: its checks pass; else 503 naming what is
 * missing; `warnings`, if there are any, are for people. `/metrics`: the figures of the process, if there is a page of them.
 */
export async function startHealthServer(options: {
  port: number;
  host: string;
  checks: readonly Check[];
  metricsPage?: (() => Promise<string>) | undefined;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/healthz') {
      const missing = beyondRepair(options.checks);
      return missing.length === 0 ? answer(200, { status: 'ok' }) : answer(503, { status: 'not alive', missing });
    }
    const { metricsPage } = options;
    if (request.url === '/metrics' && metricsPage !== undefined) return void sendPage(response, metricsPage);
    if (request.url !== '/readyz') return answer(404, { status: 'unknown' });
    void readiness(options.checks).then(({ ready, missing }) =>
      answer(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', missing, ...withWarnings(options.checks) }),
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

/** A service that is ready stays so: they are for people. */
function withWarnings(checks: readonly Check[]): { warnings?: string[] } {
  const warnings = warningsOf(checks);
  return warnings.length === 0 ? {} : { warnings };
}

async function sendPage(response: ServerResponse, metricsPage: () => Promise<string>): Promise<void> {
  try {
    const page = await metricsPage();
    response.writeHead(200, { 'content-type': metricsPageType }).end(page);
  } catch {
    response.writeHead(500).end();
  }
}
