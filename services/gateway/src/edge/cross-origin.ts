import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether pages of any origin may call the route and read its responses. */
    readonly anyOrigin?: boolean;
  }
}

/** `*` also makes browsers send no cookies along: pages of other sites have none of this deployment's. */
const anyOrigin = { 'access-control-allow-origin': '*' };

/** With them a page of any origin may read a response. */
export const readableHeaders = {
  ...anyOrigin,
  'access-control-expose-headers':
    'x-request-id, retry-after, ratelimit, ratelimit-policy, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed, link',
};

/** Chrome remembers the response to a preflight for two hours at most. */
const preflightSeconds = 7_200;

/** Lets pages of any origin read every response of the routes for any origin, errors too. */
export function shareWithAnyOrigin(server: FastifyInstance): void {
  server.addHook('onRequest', (req, reply, done) => {
    if (req.routeOptions.config?.anyOrigin === true) reply.headers(readableHeaders);
    done();
  });
}

/** The headers that answer a browser's question whether a page may send a request. */
export function preflightHeaders(methods: readonly string[]): Record<string, string | number> {
  return {
    ...anyOrigin,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'content-type, idempotency-key, x-checkout-secret, x-portal-session, x-request-id',
    'access-control-max-age': preflightSeconds,
  };
}
