import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { sendProblem } from './send-problem.ts';

/** Where no route matches: 404, or 405 with the allowed methods where the path exists. OPTIONS lists them too. */
export function handleUnknownRoutes(server: FastifyInstance, config: GatewayConfig): void {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }: RouteOptions) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });
  const methodsOf = (path: string): string[] => {
    const matching = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  };
  server.setNotFoundHandler((req: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = req.url.split('?');
    const methods = methodsOf(path);
    if (methods.length === 0 || methods.includes(req.method)) {
      return sendProblem(config, new DomainError('not_found', 'There is nothing at this address.'), req, reply);
    }
    reply.header('allow', [...methods, 'OPTIONS'].join(', '));
    if (req.method === 'OPTIONS') return void reply.code(204).send();
    sendProblem(config, new DomainError('method_not_allowed', `Allowed here: ${methods.join(', ')}.`), req, reply);
  });
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}
