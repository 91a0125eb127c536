import type { AddressInfo } from 'node:net';
import type { ServiceContext } from '@app/service-host/define-service';
import type { App } from './api/app.ts';
import type { GatewayConfig } from './config.ts';
import type { GatewayDeps } from './gateway-deps.ts';

/** In a process with other services: they and the servers close after it, and all of it has ten seconds. */
const finishBesideOthersWithinMs = 4_000;

/** Opens the HTTP server with every route of the product; resolves to its address for callers on this machine. */
export async function openServer(
  context: ServiceContext<GatewayConfig>,
  app: App,
  {
    finishWithinMs = finishBesideOthersWithinMs,
    beforeListening,
    mcpExtension,
  }: Pick<GatewayDeps, 'finishWithinMs' | 'beforeListening' | 'mcpExtension'>,
): Promise<string> {
  const { config, resources } = context;
  const create = async () => {
    // The code of all routes is the largest part of the gateway's: it is read while others work.
    const { createServer } = await import('./create-server.ts');
    return resources.add('http server', await createServer(app, mcpExtension), (created) => {
      app.requester.finishWithin(finishWithinMs);
      return created.close();
    });
  };
  const [server] = await Promise.all([create(), beforeListening?.(context)]);
  await server.listen({ port: config.PORT, host: config.HOST });
  return urlOf(server.server.address() as AddressInfo);
}

function urlOf({ address, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`;
}
