import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { preflightHeaders, readableHeaders } from './cross-origin.ts';
import type { Guard } from './guard.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  readonly anyOrigin: boolean;
}

/**
 * Where no route matches: 404, or 405 with the allowed methods where the path exists. OPTIONS lists them too, and answers
 * the preflight of a browser where the path is for any origin. What has no route counts for the client's address.
 */
export function handleUnknownRoutes(server: FastifyInstance, guard: Pick<Guard, 'countUnknown'>): void {
  const paths = new Map<string, KnownPath>();
  server.addHook('onRoute', ({ url, method, config: { anyOrigin = false } = {} }: RouteOptions) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>(), anyOrigin };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });
  // Before the body is read, whose type no route takes either.
  server.addHook('onRequest', async (req: FastifyRequest, reply: FastifyReply) => {
    if (!req.is404) return;
    const [path = ''] = req.url.split('?');
    const matching = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    const methods = [...new Set(matching.flatMap((known) => [...known.methods]))].sort();
    if (req.method !== 'OPTIONS') guard.countUnknown(req, reply);
    if (methods.length === 0 || methods.includes(req.method)) {
      throw new DomainError('not_found', 'No endpoint has this path.');
    }
    reply.header('allow', [...methods, 'OPTIONS'].join(', '));
    const anyOrigin = matching.some((known) => known.anyOrigin);
    if (req.method === 'OPTIONS') {
      return reply
        .headers(anyOrigin ? preflightHeaders(methods) : {})
        .code(204)
        .send();
    }
    if (anyOrigin) reply.headers(readableHeaders);
    throw new DomainError('method_not_allowed', `This path allows ${methods.join(', ')}.`);
  });
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}
