import type { Socket } from 'node:net';
import type { GatewayConfig } from '../config.ts';
import { hostOfAddress } from './host.rules.ts';

/**
 * This deployment's address for links, without a slash at its end: the public one, or where the connection ended. Never
 * the Host header, which every client can choose.
 */
export function baseUrlOf(config: GatewayConfig, { localAddress = 'localhost', localPort }: Socket): string {
  return config.PUBLIC_URL ?? `http://${hostOfAddress(localAddress)}:${localPort}`;
}

/** Whether browsers reach this deployment over HTTPS. */
export function isHttps(config: GatewayConfig): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}
