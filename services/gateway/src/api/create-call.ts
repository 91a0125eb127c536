import type { FieldError } from '@app/contracts/errors';
import type { Call, PageActor } from '@app/pages/call';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf } from '../edge/base-url.ts';
import type { Guard } from '../edge/guard.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { checkoutSecretHeader } from '../identity/checkout-secret.ts';
import { portalSessionHeader } from '../identity/portal-session.ts';
import { problemDocument } from '../problems/problem-document.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import type { App } from './app.ts';
import { type Operation, takesIdempotencyKey, takesVersion } from './operation.ts';
import { accessOf, runForRequest } from './run-for-request.ts';

/** What an actor is to the gateway: the request whose session or buyer it is. */
interface ActorOfRequest extends PageActor {
  readonly req: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Any operation's input, of which `callOperation` makes what the operation takes. */
interface AnyRequest {
  readonly actor: PageActor;
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly onlyRepeats?: boolean;
  readonly ifVersion?: number;
  readonly faults?: readonly FieldError[];
}

/** Who calls from a page: whom `Guard.recognize` found for the request, and `Guard.admitCall` counts with each call; anonymous where it read no credential. */
export const actorOf = (req: FastifyRequest, reply: FastifyReply): PageActor =>
  ({ req, reply }) as unknown as ActorOfRequest;

/** What pages call operations with. */
export function createCall(app: App, guard: Guard, operations: readonly Operation[]): Call {
  const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));
  const call = async (operationId: string, request: AnyRequest) => {
    const operation = byId.get(operationId);
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
    const { req } = request.actor as ActorOfRequest;
    try {
      const { body, replayed } = await run(app, guard, operation, request);
      return { ok: true, replayed, body: JSON.parse(Buffer.from(body).toString('utf8')) };
    } catch (err) {
      const error = toDomainError(err);
      req.failure = { error, cause: err };
      const { body, retryAfterSeconds } = problemDocument(error, baseUrlOf(app.config, req.socket), req.id);
      return { ok: false, problem: JSON.parse(body.toString('utf8')), retryAfterSeconds };
    }
  };
  // Safe because `callOperation` validates with the schemas that these types are of.
  return call as unknown as Call;
}

async function run(app: App, guard: Guard, operation: Operation, request: AnyRequest) {
  const { req, reply, checkoutSecret, portalSession } = request.actor as ActorOfRequest;
  const actor = await inRequestSpan(req, () => guard.admitCall(accessOf(operation), operation.method, req, reply));
  const { params = {}, query = {}, body, idempotencyKey, onlyRepeats, ifVersion, faults } = request;
  return await runForRequest(app, operation, req, reply, {
    actor,
    params,
    query,
    body,
    idempotencyKey: takesIdempotencyKey(operation, 'page') ? idempotencyKey : undefined,
    onlyRepeats,
    ifVersion: takesVersion(operation) ? ifVersion : undefined,
    faults,
    // Only the page says which checkout and which session it opens: browsers of other sites can send the headers too.
    headers: { ...req.headers, [checkoutSecretHeader]: checkoutSecret, [portalSessionHeader]: portalSession },
  });
}
