import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsJson } from '../edge/accept.rules.ts';
import { baseUrlOf, isHttps, ownUrlsOf } from '../edge/base-url.ts';
import { clientOfAddress } from '../edge/client-address.rules.ts';
import type { Access, Guard } from '../edge/guard.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { nobody } from '../identity/actors.ts';
import { writeSessionCookie } from '../identity/session-cookie.rules.ts';
import { sessionDays } from '../identity/session-token.ts';
import type { App } from './app.ts';
import { callOperation } from './call-operation.ts';
import { isForAnyPage, type Operation, type SessionCookie, takesIdempotencyKey } from './operation.ts';

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

function accessOf(operation: Operation): Access {
  if (isForAnyPage(operation)) return 'anyPage';
  return operation.auth === 'public' ? 'public' : 'credential';
}

function handlerOf(app: App, operation: Operation) {
  const takesKey = takesIdempotencyKey(operation, 'http');
  return async (req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const request = {
      actor: req.actor ?? nobody,
      params: req.params,
      query: req.query,
      body: req.body,
      idempotencyKey: takesKey ? (req.headers['idempotency-key'] as string | undefined) : undefined,
      requestId: req.id,
      baseUrl: baseUrlOf(app.config, req.socket),
      ownUrls: ownUrlsOf(app.config, req.headers.host ?? '', req.socket),
      cookie: cookieOn(app, reply),
      address: clientOfAddress(req.ip),
      headers: req.headers,
    };
    // Buyers have no account: those of one address share what an account would have.
    const readerKey = request.actor.accountId === '' ? `address ${request.address}` : request.actor.accountId;
    const begun = operation.method === 'GET' ? app.readLimiter.begin(readerKey, operation.id, reply.raw) : null;
    const read = begun instanceof Promise ? await begun : begun;
    const { body, replayed } = await inRequestSpan(req, () => callOperation(app, operation, request));
    read?.hold(body.byteLength);
    if (replayed) reply.header('idempotent-replayed', 'true');
    return reply.header('content-type', jsonType).send(body);
  };
}

function cookieOn(app: App, reply: FastifyReply): SessionCookie {
  const secure = isHttps(app.config);
  return {
    set: (token) => void reply.header('set-cookie', writeSessionCookie(token, sessionDays * 24 * 60 * 60, secure)),
    clear: () => void reply.header('set-cookie', writeSessionCookie('', 0, secure)),
  };
}
