import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsJson } from '../edge/accept.rules.ts';
import type { Guard } from '../edge/guard.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { nobody } from '../identity/actors.ts';
import type { App } from './app.ts';
import { type Operation, takesIdempotencyKey, takesVersion } from './operation.ts';
import { accessOf, runForRequest } from './run-for-request.ts';
import { ifVersionOf, tagOf } from './version-tag.rules.ts';

const jsonType = 'application/json; charset=utf-8';

/** One route for each operation. */
export function routeOperations(
  server: FastifyInstance,
  app: App,
  guard: Guard,
  operations: readonly Operation[],
): void {
  for (const operation of operations) {
    const access = accessOf(operation);
    server.route({
      config: { anyOrigin: access === 'anyPage' },
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: (req, reply, done) => {
        try {
          if (!acceptsJson(req.headers.accept))
            throw new DomainError('not_acceptable', 'Answers are application/json.');
          const actor = inRequestSpan(req, () => guard.admit(access, req, reply));
          if (!(actor instanceof Promise)) {
            req.actor = actor;
            return done();
          }
          actor.then((found) => {
            req.actor = found;
            done();
          }, done);
        } catch (err) {
          done(err as Error);
        }
      },
      handler: handlerOf(app, operation),
    });
  }
}

function handlerOf(app: App, operation: Operation) {
  const takesKey = takesIdempotencyKey(operation, 'http');
  const takesIfMatch = takesVersion(operation);
  return async (req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, query, body, headers, actor } = req;
    const idempotencyKey = takesKey ? (headers['idempotency-key'] as string | undefined) : undefined;
    const ifVersion = takesIfMatch ? ifVersionOf(headers['if-match']) : undefined;
    const given = { params, query, body, headers, idempotencyKey, ifVersion, actor: actor ?? nobody };
    const result = await runForRequest(app, operation, req, reply, given);
    if (result.replayed) reply.header('idempotent-replayed', 'true');
    if (operation.hasVersion) reply.header('etag', tagOf(result.body));
    return reply.header('content-type', jsonType).send(result.body);
  };
}
