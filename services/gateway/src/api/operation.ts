import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyScope } from '@app/contracts/accounts';
import type { AuditKind } from '@app/contracts/audit';
import { okResult } from '@app/contracts/common';
import type { ErrorCode } from '@app/contracts/errors';
import { z } from 'zod';
import type { CalledOperation } from '../edge/called-operation.ts';
import type { Actor } from '../identity/actors.ts';
import type { CallAudit } from '../identity/audit/call-audit.ts';
import type { App } from './app.ts';

/** What a service gets beside the input. The command id makes repeating a command harmless. */
export interface OperationContext {
  readonly accountId: string;
  readonly requestId: string;
  readonly commandId: string;
}

/** The browser's session cookie, as far as an operation may touch it. */
export interface SessionCookie {
  set(token: string): void;
  clear(): void;
  /** The token of the browser's session, for operations that need none. */
  readonly session: string | undefined;
  /** The token of a log-in that waits for its factor. */
  readonly pending: string | undefined;
  /** Lets the browser go on with its factor. */
  setPending(token: string): void;
  clearPending(): void;
}

/** What a call of an operation gets: its validated input, and who calls. */
export interface OperationCall<Params, Query, Body> {
  readonly app: App;
  readonly actor: Actor;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly context: OperationContext;
  readonly cookie: SessionCookie;
  readonly audit: CallAudit;
  /** What the log says of the call: an operation of buyers adds whose it is, and what it came to. */
  readonly called: CalledOperation;
  /** As `clientOfAddress` gives it; empty in calls of MCP tools, which no limit by address concerns. */
  readonly address: string;
  /** This deployment's address for links. */
  readonly baseUrl: string;
  /** Addresses of this deployment as the caller reached it; empty in calls of MCP tools. */
  readonly ownUrls: readonly string[];
  /** Of the HTTP request, names in lower case; empty in calls of MCP tools. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The version that an update was made from; undefined where the caller does not say. */
  readonly ifVersion: number | undefined;
}

/** What identifies the owner of an Idempotency-Key where there is no account. */
export type KeyScope<Params, Body> = Pick<OperationCall<Params, unknown, Body>, 'params' | 'body' | 'headers'>;

/**
 * Who may call.
 * - `public`: anyone, without a key.
 * - `visitor`: as `public`, also from a page of any other site. No session and no key counts.
 * - `buyer`: as `visitor`, with the secret of the checkout in the header `x-checkout-secret`.
 * - `portal`: as `visitor`, with the secret of a buyer's session of the portal in the header `x-portal-session`. The account
 *   and the buyer come from the session.
 * - `account`: an account's key with the operation's scope, or a logged-in session.
 * - `session`: a logged-in session only.
 * - `daily`: as `account`, or the platform key.
 * - `platform`: the platform key only.
 */
export type OperationAuth = 'public' | 'visitor' | 'buyer' | 'portal' | 'account' | 'session' | 'daily' | 'platform';

export interface SecretField {
  readonly name: string;
  /** A repeated response has this text instead, as `secret_notice`. */
  readonly notice: string;
}

/** What callers give and get, for those whom the compiler checks. */
export interface OperationTypes {
  readonly params: object;
  readonly query: object;
  /** Undefined where there is none. */
  readonly body: unknown;
  readonly result: unknown;
}

/** A file that is made while it is sent. */
export interface Download {
  readonly fileName: string;
  /** Its parts, read as fast as the client takes them. An error in one of them ends the connection: no file is complete by it. */
  readonly parts: AsyncGenerator<string, void, void>;
}

/** An operation in the list of its part of the API, which `tagged` names. */
export interface UntaggedOperation<Id extends string = string, Types extends OperationTypes = OperationTypes> {
  /** camelCase; the OpenAPI operationId. */
  readonly id: Id;
  /** For the compiler alone: no value has it. */
  readonly types?: Types;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In OpenAPI style: `/api/v1/orders/{orderId}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: OperationAuth;
  /**
   * What its entries in the audit log are about; false for none. Every operation of a seller or the public says it that changes something
   * or sends a file.
   */
  readonly audit?: AuditKind | false;
  readonly scope?: ApiKeyScope;
  /** A further scope that a key needs: of a write whose answer opens what `read` shows. */
  readonly alsoScope?: ApiKeyScope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Of a response that is no JSON: `run` resolves to a `Download`. No page's call and no tool runs such an operation. */
  readonly mediaType?: 'text/csv';
  /** The response's `version` is its ETag; a PATCH or PUT takes it as If-Match, and changes nothing when there is a newer one. */
  readonly hasVersion?: true;
  /** The field of the response that is a secret: sent once, and never again under the same Idempotency-Key. */
  readonly secret?: SecretField;
  /** For a POST that only reads: it takes no Idempotency-Key, and nothing of its response is kept. */
  readonly changesNothing?: true;
  /** Also done in a copy of an installation, which otherwise only reads: without it nobody could log in to look. */
  readonly worksInCopy?: true;
  /** For a write that waits for no other of its account: it locks no row that others wait for, or first hashes a password. */
  readonly unlimitedConcurrency?: true;
  /** What an authenticator knows of keys, sessions and settings is read anew afterwards, by this process at once. */
  readonly changesAccess?: true;
  /** Pictures are looked up anew afterwards, by this process at once: one that was replaced or deleted is gone. */
  readonly changesImages?: true;
  /** How long the response may take, in milliseconds; as long as its request is waited for unless given (`time-outs.ts` of the contracts). */
  readonly longestMs?: number;
  /** Whether a response shows work that goes on: it is not kept for repetitions under its Idempotency-Key. */
  isUnderWay?(response: {
    readonly status?: unknown;
    readonly payment_method?: { readonly status?: unknown };
    readonly renewal_under_way?: unknown;
    readonly renewal_confirmation?: unknown;
  }): boolean;
  /**
   * For an operation with an `idempotencyScope` whose repeat finds the outcome in what it is about: beyond the bytes that its caller
   * may have stored it is done without a record. Buyers share an address with whoever used them up.
   */
  readonly isIdempotent?: true;
  /** For an operation without a key of the API that takes an Idempotency-Key: whose keys they are. */
  idempotencyScope?(scope: KeyScope<unknown, unknown>): string;
  /** Errors of its own, beside those that every operation has. */
  readonly errors: readonly ErrorCode[];
  /** Resolves to the response's body, or to the bytes of a service's reply, which are JSON already. */
  run(call: OperationCall<unknown, unknown, unknown>): Promise<object>;
}

/**
 * One endpoint of the API. The same list drives the routes, the OpenAPI document, the MCP tools and the
 * test of account isolation.
 */
export interface Operation<Id extends string = string, Types extends OperationTypes = OperationTypes>
  extends UntaggedOperation<Id, Types> {
  /** The part of the API that the document shows it in. */
  readonly tag: string;
}

/** @param operations `UntaggedOperation`s of one part of the API: a constraint would make their ids strings */
export const tagged = <Each extends object>(tag: string, operations: readonly Each[]) =>
  operations.map((operation) => ({ ...operation, tag }));

interface TypedOperation<
  Id extends string,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
> extends Omit<UntaggedOperation<Id>, 'params' | 'query' | 'body' | 'response' | 'run' | 'idempotencyScope' | 'types'> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: Response;
  idempotencyScope?(scope: KeyScope<z.output<Params>, z.output<Body>>): string;
  run(call: OperationCall<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<object>;
}

type NoFields = z.ZodObject<Record<never, never>>;

interface DefinedTypes<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
> {
  readonly params: z.input<Params>;
  readonly query: z.input<Query>;
  readonly body: z.input<Body>;
  readonly result: z.output<Response>;
}

/** An operation whose `run` gets what its schemas make of the request; without a body schema the body must be empty. */
export function defineOperation<
  const Id extends string,
  Response extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodUndefined,
>(
  operation: TypedOperation<Id, Params, Query, Body, Response>,
): UntaggedOperation<Id, DefinedTypes<Params, Query, Body, Response>> {
  // Safe because `callOperation` validates with these very schemas before it calls `run`.
  return operation as unknown as UntaggedOperation<Id, DefinedTypes<Params, Query, Body, Response>>;
}

type OkOperation<
  Id extends string,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> = Omit<TypedOperation<Id, Params, Query, Body, typeof okResult>, 'response' | 'run'> & {
  run(call: OperationCall<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<void>;
};

/** The same for an operation whose response says only that it is done. */
export function defineOkOperation<
  const Id extends string,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodUndefined,
>(
  operation: OkOperation<Id, Params, Query, Body>,
): UntaggedOperation<Id, DefinedTypes<Params, Query, Body, typeof okResult>> {
  return defineOperation<Id, typeof okResult, Params, Query, Body>({
    ...operation,
    response: okResult,
    run: async (call) => {
      await operation.run(call);
      return { ok: true };
    },
  });
}

interface DownloadTypes<Params extends z.ZodObject, Query extends z.ZodObject> {
  readonly params: z.input<Params>;
  readonly query: z.input<Query>;
  readonly body: undefined;
  readonly result: never;
}

type DownloadFields = Omit<
  UntaggedOperation,
  'id' | 'method' | 'auth' | 'scope' | 'response' | 'run' | 'types' | 'params' | 'query'
>;

/** An operation that sends a file of the account's own data. */
export function defineDownload<Id extends string, Query extends z.ZodObject, Params extends z.ZodObject = NoFields>(
  operation: DownloadFields & {
    readonly id: Id;
    readonly mediaType: NonNullable<Operation['mediaType']>;
    readonly query: Query;
    readonly params?: Params;
    run(call: OperationCall<z.output<Params>, z.output<Query>, undefined>): Promise<Download>;
  },
): UntaggedOperation<Id, DownloadTypes<Params, Query>> {
  const of = { method: 'GET', auth: 'account', scope: 'read', response: z.string() } as const;
  // Safe because `openDownload` validates with these very schemas before it calls `run`.
  return Object.assign(of, operation) as unknown as UntaggedOperation<Id, DownloadTypes<Params, Query>>;
}

/** Whether the caller may name the version that it changes. */
export function takesVersion({ hasVersion, method }: Operation): boolean {
  return hasVersion === true && (method === 'PATCH' || method === 'PUT');
}

/** The scopes that a key needs for it. */
export const scopesOf = ({ scope, alsoScope }: Operation): ApiKeyScope[] =>
  [scope, alsoScope].filter((each) => each !== undefined);

/** Whether pages of any site may call it. */
export function isForAnyPage({ auth }: Operation): boolean {
  return auth === 'visitor' || auth === 'buyer' || auth === 'portal';
}

/** Whether it is called without a key of the API and without a session. */
export function isKeyless(operation: Operation): boolean {
  return operation.auth === 'public' || isForAnyPage(operation);
}

/**
 * Whether the caller may send an Idempotency-Key with it. Over HTTP that is a POST: repeating a PUT, PATCH or DELETE
 * changes nothing more. A tool takes one for every write, because a model does not see the method, and so does a page: a second
 * click sends a form with `If-Match` again, and must not read that it was changed. An operation that is
 * called without a key of the API takes none unless it says whose keys they are; one that changes nothing takes none.
 */
export function takesIdempotencyKey(operation: Operation, via: 'http' | 'mcp' | 'page'): boolean {
  const { method, changesNothing, idempotencyScope } = operation;
  if (changesNothing) return false;
  const writes = via === 'http' ? method === 'POST' : method !== 'GET';
  return writes && (!isKeyless(operation) || idempotencyScope !== undefined);
}
