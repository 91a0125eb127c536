import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsType } from '../edge/accept.rules.ts';
import type { Guard } from '../edge/guard.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { type Actor, anonymous } from '../identity/actors.ts';
import type { App } from './app.ts';
import { nextLinkOf, pageParamOf } from './next-page.ts';
import { type Operation, takesIdempotencyKey, takesVersion } from './operation.ts';
import { accessOf, downloadForRequest, runForRequest } from './run-for-request.ts';
import { sendDownload } from './send-download.ts';
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
    const { mediaType = 'application/json' } = operation;
    server.route({
      config: { anyOrigin: access === 'anyPage' },
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: (req, reply, done) => {
        try {
          const actor = inRequestSpan(req, () => guard.admit(access, req, reply));
          // After the caller is known and counted: a refusal is worth as much as another answer.
          const admitted = (found: Actor): void => {
            req.actor = found;
            const isAccepted = acceptsType(req.headers.accept, mediaType);
            done(isAccepted ? undefined : notAcceptable(mediaType));
          };
          if (actor instanceof Promise) actor.then(admitted, done);
          else admitted(actor);
        } catch (err) {
          done(err as Error);
        }
      },
      handler: operation.mediaType === undefined ? handlerOf(app, operation) : fileHandlerOf(app, operation),
    });
  }
}

const notAcceptable = (mediaType: string): DomainError =>
  new DomainError('not_acceptable', `The header Accept must allow ${mediaType}.`);

function fileHandlerOf(app: App, operation: Operation) {
  return async (req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, query, body, headers, actor } = req;
    const given = { params, query, body, headers, actor: actor ?? anonymous };
    const download = await downloadForRequest(app, operation, req, reply, given);
    return sendDownload(req, reply, operation.mediaType as string, download);
  };
}

function handlerOf(app: App, operation: Operation) {
  const takesKey = takesIdempotencyKey(operation, 'http');
  const takesIfMatch = takesVersion(operation);
  const paging = pageParamOf(operation);
  return async (req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, query, body, headers, actor } = req;
    const idempotencyKey = takesKey ? (headers['idempotency-key'] as string | undefined) : undefined;
    const ifVersion = takesIfMatch ? ifVersionOf(headers['if-match']) : undefined;
    const given = { params, query, body, headers, idempotencyKey, ifVersion, actor: actor ?? anonymous };
    const result = await runForRequest(app, operation, req, reply, given);
    if (result.replayed) reply.header('idempotent-replayed', 'true');
    const next = paging === null ? undefined : nextLinkOf(paging, req.url, result.body);
    if (next !== undefined) reply.header('link', next);
    if (operation.hasVersion) reply.header('etag', tagOf(result.body));
    return reply.header('content-type', jsonType).send(result.body);
  };
}
