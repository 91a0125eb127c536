import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.ts';

const saneHost = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** This deployment's address as the caller knows it, without a slash at its end. */
export function baseUrlOf(config: GatewayConfig, req: FastifyRequest): string {
  if (config.PUBLIC_URL === undefined && saneHost.test(req.host)) return `${req.protocol}://${req.host}`;
  return baseUrlAt(config, req.socket);
}

/** The address for a caller of whom no more is known than the connection: the public one, or where that ends. */
export function baseUrlAt(config: GatewayConfig, { localAddress = 'localhost', localPort }: Socket): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return config.PUBLIC_URL ?? `http://${host}:${localPort}`;
}

/** Whether browsers reach this deployment over HTTPS. */
export function isHttps(config: GatewayConfig): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}
