import type { Socket } from 'node:net';
import type { EdgeConfig } from './edge-config.ts';
import { hostOfAddress, isOwnHost } from './host.rules.ts';

/**
 * This deployment's address for links, without a slash at its end: the public one, or where the connection ended. Never
 * the Host header, which every client can choose.
 */
export function baseUrlOf(config: EdgeConfig, { localAddress = 'localhost', localPort }: Socket): string {
  return config.PUBLIC_URL ?? `http://${hostOfAddress(localAddress)}:${localPort}`;
}

/**
 * Addresses under which this request may call the deployment its own: the one for links and, without a public one, also the
 * name of this machine that the browser used, `localhost` for `127.0.0.1`.
 */
export function ownUrlsOf(config: EdgeConfig, host: string, socket: Socket): string[] {
  const url = baseUrlOf(config, socket);
  const isNamed = config.PUBLIC_URL === undefined && isOwnHost(host, null, socket.localAddress ?? '');
  return isNamed ? [url, `http://${host}`] : [url];
}

/** Whether browsers reach this deployment over HTTPS. */
export function isHttps(config: EdgeConfig): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}
