import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.ts';

const saneHost = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** This deployment's address as the caller knows it, without a slash at its end. */
export function baseUrlOf(config: GatewayConfig, req: FastifyRequest): string {
  if (config.PUBLIC_URL !== undefined) return config.PUBLIC_URL;
  const host = req.host;
  return `${req.protocol}://${saneHost.test(host) ? host : 'localhost'}`;
}

/** Whether browsers reach this deployment over HTTPS. */
export function isHttps(config: GatewayConfig): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}
