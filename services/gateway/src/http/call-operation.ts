import { createHash } from 'node:crypto';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { parseInput } from '@app/contracts/validation';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';
import { checkIdempotencyKey } from '../idempotency/idempotency.rules.ts';
import { runOnce } from '../idempotency/run-once.ts';
import { checkAllowed } from './allowed.ts';
import type { Call, Operation, SecretField, SessionCookie } from './operation.ts';
import { refusalOf } from './path-params.ts';

export interface OperationRequest {
  readonly actor: Actor;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Only for operations that take one, see `takesIdempotencyKey`. */
  readonly idempotencyKey?: string | undefined;
  readonly requestId: string;
  /** This deployment's address, for links in problem documents. */
  readonly baseUrl: string;
  /** Whom the caller's address stands for. */
  readonly address?: string;
  /** Only browsers have one. */
  readonly cookie?: SessionCookie;
}

export interface OperationAnswer {
  readonly status: 200;
  /** JSON. */
  readonly body: Uint8Array;
  readonly replayed: boolean;
}

/**
 * The one way to an operation, for HTTP and for MCP: may the caller do this, is the input valid, was it asked before,
 * do it. Throws a DomainError.
 */
export async function callOperation(
  app: App,
  operation: Operation,
  request: OperationRequest,
): Promise<OperationAnswer> {
  const { actor, idempotencyKey } = request;
  checkAllowed(operation, actor);
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
  const params = parseParams(operation.params, request.params);
  const query = parseInput(strictQueryOf(operation), request.query, 'query');
  const body = parseBody(operation, request.body);
  const perform = async (commandId: string): Promise<Uint8Array> => {
    const context = { accountId: actor.accountId, requestId: request.requestId, commandId };
    const call: Call<unknown, unknown, unknown> = {
      app,
      actor,
      params,
      query,
      body,
      context,
      cookie: request.cookie ?? noCookie,
      address: request.address ?? '',
    };
    const answer = await operation.run(call);
    return answer instanceof Uint8Array ? answer : Buffer.from(JSON.stringify(answer));
  };
  if (operation.method !== 'GET') checkWritable(app);
  const commandId = operation.method === 'GET' ? '' : newIdSuffix(app.clock.nowMs());
  if (idempotencyKey === undefined) {
    return { status: 200, body: await perform(commandId), replayed: false };
  }
  const result = await runOnce(app.idempotency, app.logger, {
    record: { accountId: ownerOfKey(operation, actor, body), key: idempotencyKey },
    // Of what the request means, not of how it was written: the order of its fields and white space do not count.
    fingerprint: app.idempotency.fingerprint([
      credentialOf(actor),
      operation.method,
      operation.path,
      params,
      body ?? null,
    ]),
    commandId,
    now: app.clock.now(),
    run: perform,
    kept: (answer) => withoutSecret(operation.secret, answer),
  });
  return { status: 200, ...result };
}

/** A write that must fail is refused before it begins: nothing of it has taken effect. */
function checkWritable(app: App): void {
  const reason = app.writeRefusal();
  if (reason !== undefined) throw new DomainError('service_unavailable', `Nothing can be written: ${reason}.`);
}

const nothing = {};
const noCookie: SessionCookie = { set: () => undefined, clear: () => undefined };

const noBody = z.strictObject({}).optional();

/** Where there are no fields to send, a body that has some is a mistake; DELETE and GET have no body at all. */
function parseBody({ method, body }: Operation, input: unknown): unknown {
  if (body !== undefined) return parseInput(body, input);
  if (method !== 'GET' && method !== 'DELETE') parseInput(noBody, input);
  return undefined;
}

const strictQueries = new WeakMap<Operation, z.ZodObject>();

/** Requests between services pass over what they do not know; a caller is told of it. */
function strictQueryOf(operation: Operation): z.ZodObject {
  const known = strictQueries.get(operation);
  if (known !== undefined) return known;
  const strict = (operation.query ?? z.object({})).strict();
  strictQueries.set(operation, strict);
  return strict;
}

function parseParams(schema: z.ZodObject | undefined, input: unknown): unknown {
  if (schema === undefined) return nothing;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [name] = result.error.issues[0]?.path ?? [];
  throw new DomainError(
    refusalOf(schema.shape[String(name)] as z.ZodType | undefined),
    'There is nothing with this id on this account.',
  );
}

/** Who a caller is to their own answers: a user in whatever session, an account's key alone. */
function credentialOf({ kind, keyId, userId }: Actor): string {
  return `${kind} ${keyId ?? userId ?? ''}`;
}

/** Keys are apart by account; where there is none yet, by what the operation says. */
function ownerOfKey({ id, idempotencyScope }: Operation, actor: Actor, body: unknown): string {
  if (idempotencyScope === undefined) return actor.accountId;
  return `${id} ${createHash('sha256').update(idempotencyScope(body)).digest('base64url')}`;
}

function withoutSecret(secret: SecretField | undefined, answer: Uint8Array): Uint8Array {
  if (secret === undefined) return answer;
  const { [secret.name]: shown, ...rest } = JSON.parse(Buffer.from(answer).toString('utf8')) as Record<string, unknown>;
  return shown === undefined ? answer : Buffer.from(JSON.stringify({ ...rest, secret_notice: secret.notice }));
}
