import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, errorCodes, type FieldError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { invalidField, invalidFields, parseInput } from '@app/contracts/validation';
import { z } from 'zod';
import type { CalledOperation } from '../edge/called-operation.ts';
import type { Actor } from '../identity/actors.ts';
import type { CallAudit } from '../identity/audit/call-audit.ts';
import { checkoutNotFound } from '../identity/checkout-secret.ts';
import { requirePortalActor } from '../identity/portal-session.ts';
import type { App } from './app.ts';
import { auditCall, madeId, objectOf } from './audit-call.ts';
import { checkAccess } from './check-access.ts';
import { checkIdempotencyKey, leaseSecondsOf } from './idempotency.rules.ts';
import type { Download, KeyScope, Operation, OperationCall, SecretField, SessionCookie } from './operation.ts';
import { notFoundCodeOf } from './path-params.ts';
import { runIdempotent } from './run-idempotent.ts';
import { isLimited } from './write-limit.ts';

export interface OperationRequest {
  readonly actor: Actor;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Only for operations that take one, see `takesIdempotencyKey`. */
  readonly idempotencyKey?: string | undefined;
  /** Answers an earlier request with the key alone. */
  readonly onlyRepeats?: boolean | undefined;
  /** Only for operations that take one, see `takesVersion`. */
  readonly ifVersion?: number | undefined;
  /** That the caller has found: it is refused with them. */
  readonly faults?: readonly FieldError[] | undefined;
  readonly requestId: string;
  /** This deployment's address, for links in problem documents. */
  readonly baseUrl: string;
  /** As `clientOfAddress` gives it. */
  readonly address?: string;
  /** Whom the audit log names, where `address` and `headers` do not say it. */
  readonly from?: { readonly address: string; readonly userAgent: string | undefined };
  /** As `ownUrlsOf` gives them. */
  readonly ownUrls?: readonly string[];
  /** Gets what the log says of the call as it begins; the call adds to it. */
  readonly note?: (called: CalledOperation) => void;
  /** Of an HTTP request. */
  readonly headers?: IncomingHttpHeaders;
  /** Only browsers have one. */
  readonly cookie?: SessionCookie;
}

export interface OperationResult {
  readonly status: 200;
  /** JSON. */
  readonly body: Uint8Array;
  readonly replayed: boolean;
}

/**
 * Runs an operation for HTTP and for MCP alike: checks access, validates the input, waits for a slot of the account's writes, finds
 * an earlier request under the Idempotency-Key.
 * @throws DomainError
 */
export async function callOperation(
  app: App,
  operation: Operation,
  request: OperationRequest,
): Promise<OperationResult> {
  if (operation.mediaType !== undefined) throw new Error(`${operation.id} answers with a file`);
  const audit = auditCall(app, operation, request);
  try {
    const { actor, input, called, callOf } = await prepare(app, operation, request);
    const perform = async (commandId: string): Promise<Uint8Array> => {
      const call = callOf(commandId, audit.handle(commandId));
      const result = await audit.run(commandId, objectOf(input.params), () => operation.run(call));
      if (operation.method !== 'GET') called.about ??= madeId(result) ?? undefined;
      if (operation.changesAccess) app.authenticator.forget();
      if (operation.changesImages) for (const cache of Object.values(app.images)) cache.clear();
      return result instanceof Uint8Array ? result : Buffer.from(JSON.stringify(result));
    };
    if (operation.method !== 'GET') checkWritable(app);
    const { accountId } = actor;
    const work = () => performOnce(app, operation, { ...request, actor }, input, perform);
    return accountId !== '' && isLimited(operation) ? await app.limitWrites(accountId, work) : await work();
  } catch (err) {
    audit.refused(err);
    throw err;
  }
}

/**
 * The same for an operation that answers with a file, up to its first part.
 * @throws DomainError
 */
export async function openDownload(app: App, operation: Operation, request: OperationRequest): Promise<Download> {
  const audit = auditCall(app, operation, request);
  try {
    const { input, callOf } = await prepare(app, operation, request);
    const commandId = newIdSuffix(app.clock.nowMs());
    const call = callOf('', audit.handle(commandId));
    // Safe because `defineDownload` makes the operations that have a media type.
    return (await audit.run(commandId, objectOf(input.params), () => operation.run(call))) as Download;
  } catch (err) {
    audit.refused(err);
    throw err;
  }
}

/** What a call brings, as its operation's schemas make of it. */
export interface Input {
  readonly params: unknown;
  readonly query: object;
  readonly body: unknown;
}

/**
 * Validates the input of a call, for callers that are told all that is wrong with it at once: its path, its query and its body are one
 * list of arguments to a model.
 * @param faults that the caller has found
 * @throws DomainError validation_failed with every fault; the error of an unknown id where its id is the only fault
 */
export function checkInput(
  operation: Operation,
  { params, query, body }: Pick<OperationRequest, 'params' | 'query' | 'body'>,
  faults: readonly FieldError[] = [],
): Input {
  const found = new Map(faults.map((fault) => [fault.field, fault]));
  const part = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (err) {
      if (!(err instanceof DomainError) || err.code !== 'validation_failed') throw err;
      for (const fault of err.errors) if (!found.has(fault.field)) found.set(fault.field, fault);
      return undefined;
    }
  };
  const checkedQuery = part(() => parseInput(strictQueryOf(operation), query, 'query'));
  const checkedBody = part(() => parseBody(operation, body));
  if (found.size === 0)
    return { params: parseParams(operation.params, params), query: checkedQuery ?? {}, body: checkedBody };
  for (const issue of operation.params?.safeParse(params).error?.issues ?? []) {
    const field = String(issue.path[0]);
    if (!found.has(field)) found.set(field, { field, code: 'unknown_value', message: 'must be an id of this account' });
  }
  throw invalidFields([...found.values()]);
}

/** Checks access and validates the input. */
async function prepare(app: App, operation: Operation, request: OperationRequest) {
  const { idempotencyKey, headers = {}, faults = [] } = request;
  const called: CalledOperation = { id: operation.id, changes: operation.method !== 'GET' };
  request.note?.(called);
  checkAccess(operation, request.actor, headers);
  const refusal = app.installation.refusal();
  if (refusal !== undefined) refuseInCopy(operation, refusal, app.installation.isUnknown());
  const actor = operation.auth === 'portal' ? await requirePortalActor(app, headers) : request.actor;
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
  if (faults.length > 0) checkInput(operation, request, faults);
  const input: Input = {
    params: parseParams(operation.params, request.params),
    query: parseInput(strictQueryOf(operation), request.query, 'query'),
    body: parseBody(operation, request.body),
  };
  if (actor.accountId !== '') called.accountId = actor.accountId;
  // A token in the path is the right to what it leads to: no log has it.
  if (!operation.path.endsWith('{token}')) called.about = objectOf(input.params) ?? undefined;
  const callOf = (commandId: string, audit: CallAudit): OperationCall<unknown, unknown, unknown> => ({
    app,
    actor,
    params: input.params,
    query: input.query,
    body: input.body,
    context: { accountId: actor.accountId, requestId: request.requestId, commandId },
    cookie: request.cookie ?? noCookie,
    audit,
    called,
    address: request.address ?? '',
    baseUrl: request.baseUrl,
    ownUrls: request.ownUrls ?? [],
    headers,
    ifVersion: request.ifVersion,
  });
  return { actor, input, called, callOf };
}

/** Performs it under its Idempotency-Key, if it has one. */
async function performOnce(
  app: App,
  operation: Operation,
  { actor, idempotencyKey, onlyRepeats = false, headers = {}, address = '' }: OperationRequest,
  { params, query, body }: Input,
  perform: (commandId: string) => Promise<Uint8Array>,
): Promise<OperationResult> {
  // What the command makes has it after a prefix of its own (`idOfCommand`).
  const commandId = operation.method === 'GET' ? '' : newIdSuffix(app.clock.nowMs());
  if (idempotencyKey === undefined) {
    if (onlyRepeats) throw new Error(`${operation.id} has no Idempotency-Key to repeat`);
    return { status: 200, body: await perform(commandId), replayed: false };
  }
  const isOfAccount = operation.idempotencyScope === undefined;
  const result = await runIdempotent(app, {
    record: { accountId: ownerOfKey(operation, actor, { params, body, headers }), key: idempotencyKey },
    // Of the validated input: the order of fields and white space do not count.
    fingerprints: app.idempotency.fingerprints([
      credentialOf(actor),
      operation.method,
      operation.path,
      params,
      isNoBody(operation, body) ? null : body,
      // Nothing where there is none: fingerprints are kept for 30 days, also over an upgrade.
      ...(Object.keys(query).length === 0 ? [] : [query]),
    ]),
    commandId,
    now: app.clock.now(),
    leaseSeconds: leaseSecondsOf(operation.longestMs),
    onlyRepeats,
    owner: isOfAccount ? { name: actor.accountId, isAccount: true } : { name: `address ${address}`, isAccount: false },
    isIdempotent: operation.isIdempotent === true,
    run: perform,
    stored: (response) => storedPart(operation, response),
  });
  return { status: 200, ...result };
}

/** What a buyer reads of a copy: who is in the middle of a purchase must not hear of installations. An earlier request may have paid. */
const shopMoves =
  'This shop is moving to another place. This request charged nothing; look for a receipt before you pay again. Try again in a few minutes.';
const ofBuyers: ReadonlySet<Operation['auth']> = new Set(['buyer', 'portal', 'visitor']);

/** In a copy sellers read, and log in for it; nothing else is done, because the original does it. */
function refuseInCopy({ auth, method, worksInCopy }: Operation, refusal: string, isUnknown: boolean): void {
  const isOfBuyers = ofBuyers.has(auth);
  if (!isOfBuyers && (method === 'GET' || worksInCopy === true)) return;
  throw new DomainError('service_unavailable', isOfBuyers && !isUnknown ? shopMoves : refusal);
}

/** Rejects a write that would fail before any of it takes effect. */
function checkWritable(app: App): void {
  const reason = app.writeRefusal();
  if (reason !== undefined) throw new DomainError('service_unavailable', `Nothing can be written: ${reason}.`);
}

const nothing = {};
const noCookie: SessionCookie = {
  set: () => undefined,
  clear: () => undefined,
  session: undefined,
  pending: undefined,
  setPending: () => undefined,
  clearPending: () => undefined,
};

/** Without a body, and with an empty one where none is needed, it is one request. */
const isNoBody = ({ body: schema }: Operation, body: unknown): boolean =>
  body === undefined || (schema?.safeParse(undefined).success === true && Object.keys(body as object).length === 0);

const noContent = z.strictObject({}).optional();

/** An operation without body fields rejects a body that has some. The body of a GET or DELETE is ignored. */
function parseBody({ method, body }: Operation, input: unknown): unknown {
  if (body !== undefined) {
    const parsed = parseInput(body, input);
    if (method === 'PATCH' && Object.keys(parsed as object).length === 0) throw noChange(body);
    return parsed;
  }
  if (method !== 'GET' && method !== 'DELETE') parseInput(noContent, input);
  return undefined;
}

/** A change that names no field is a mistake: most likely the caller has dropped a field of another name. */
function noChange(body: z.ZodType): DomainError {
  const names = body instanceof z.ZodObject ? Object.keys(body.shape).map((name) => `\`${name}\``) : [];
  return invalidField('', `must have at least one of the fields ${names.join(', ')}`, 'required');
}

const strictQueries = new WeakMap<Operation, z.ZodObject>();

/** Services ignore unknown fields of a query; the API rejects them. */
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
  const code = notFoundCodeOf(schema.shape[String(name)] as z.ZodType | undefined);
  if (code === 'checkout_not_found') throw checkoutNotFound();
  throw new DomainError(code, `${errorCodes[code].title}: the account has none with this id.`);
}

/** Stored responses belong to a user in all sessions, or to one API key. */
function credentialOf({ kind, keyId, userId }: Actor): string {
  return `${kind} ${keyId ?? userId ?? ''}`;
}

/** Each account has its own Idempotency-Keys. Where there is no account yet, the operation says whose they are. */
function ownerOfKey({ id, idempotencyScope }: Operation, actor: Actor, scope: KeyScope<unknown, unknown>): string {
  if (idempotencyScope === undefined) return actor.accountId;
  return `${id} ${hash('sha256', idempotencyScope(scope), 'base64url')}`;
}

function storedPart({ isUnderWay, secret }: Operation, response: Uint8Array): Uint8Array | undefined {
  if (isUnderWay?.(JSON.parse(Buffer.from(response).toString('utf8')))) return undefined;
  return withoutSecret(secret, response);
}

function withoutSecret(secret: SecretField | undefined, response: Uint8Array): Uint8Array {
  if (secret === undefined) return response;
  const { [secret.name]: shown, ...rest } = JSON.parse(Buffer.from(response).toString('utf8')) as Record<
    string,
    unknown
  >;
  return shown === undefined ? response : Buffer.from(JSON.stringify({ ...rest, secret_notice: secret.notice }));
}
