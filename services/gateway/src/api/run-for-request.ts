import { daySeconds } from '@app/contracts/durations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf, isHttps, ownUrlsOf } from '../edge/base-url.ts';
import { clientOfAddress } from '../edge/client-address.rules.ts';
import type { Access } from '../edge/guard.ts';
import { noteCall } from '../edge/request-log.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { pendingSeconds } from '../identity/pending-login.ts';
import {
  getPendingToken,
  getSessionToken,
  writePendingCookie,
  writeSessionCookie,
} from '../identity/session-cookie.rules.ts';
import { sessionDays } from '../identity/session-token.ts';
import type { App } from './app.ts';
import { callOperation, type OperationRequest, type OperationResult, openDownload } from './call-operation.ts';
import { type Download, isForAnyPage, type Operation, type SessionCookie } from './operation.ts';

/** What an HTTP request says of the operation that it calls, or that its page calls. */
type Given = Pick<
  OperationRequest,
  'actor' | 'params' | 'query' | 'body' | 'idempotencyKey' | 'onlyRepeats' | 'ifVersion' | 'headers' | 'faults'
>;

export function accessOf(operation: Operation): Access {
  if (isForAnyPage(operation)) return 'anyPage';
  return operation.auth === 'public' ? 'public' : 'credential';
}

/**
 * Runs an operation for an HTTP request whose response carries the result.
 * @throws DomainError
 */
export async function runForRequest(
  app: App,
  operation: Operation,
  req: FastifyRequest,
  reply: FastifyReply,
  given: Given,
): Promise<OperationResult> {
  const { request, read } = beginRequest(app, operation, req, reply, given);
  const readSlot = read instanceof Promise ? await read : read;
  let bytes = 0;
  try {
    const result = await inRequestSpan(req, () => callOperation(app, operation, request));
    bytes = result.body.byteLength;
    return result;
  } finally {
    // Until the response is sent, its bytes count for the reader. A page goes on after a refusal: its read has ended all the same.
    readSlot?.hold(bytes);
  }
}

/**
 * The same for an operation that answers with a file: as a read it is under way until the response is closed.
 * @throws DomainError
 */
export async function downloadForRequest(
  app: App,
  operation: Operation,
  req: FastifyRequest,
  reply: FastifyReply,
  given: Given,
): Promise<Download> {
  const { request, read } = beginRequest(app, operation, req, reply, given);
  await read;
  return await inRequestSpan(req, () => openDownload(app, operation, request));
}

function beginRequest(app: App, operation: Operation, req: FastifyRequest, reply: FastifyReply, given: Given) {
  const address = clientOfAddress(req.ip);
  const request: OperationRequest = {
    ...given,
    address,
    requestId: req.id,
    note: (called) => noteCall(req, called),
    baseUrl: baseUrlOf(app.config, req.socket),
    ownUrls: ownUrlsOf(app.config, req.headers.host ?? '', req.socket),
    cookie: cookieOn(app, req, reply),
  };
  // Buyers have no account: those of one address share what an account would have.
  const readerKey = given.actor.accountId === '' ? `address ${address}` : given.actor.accountId;
  const read = operation.method === 'GET' ? app.readLimiter.begin(readerKey, operation.id, reply.raw) : null;
  return { request, read };
}

function cookieOn(app: App, req: FastifyRequest, reply: FastifyReply): SessionCookie {
  const secure = isHttps(app.config);
  return {
    set: (token) => void reply.header('set-cookie', writeSessionCookie(token, sessionDays * daySeconds, secure)),
    clear: () => void reply.header('set-cookie', writeSessionCookie('', 0, secure)),
    session: getSessionToken(req.headers.cookie, secure),
    pending: getPendingToken(req.headers.cookie, secure),
    setPending: (token) => void reply.header('set-cookie', writePendingCookie(token, pendingSeconds, secure)),
    clearPending: () => void reply.header('set-cookie', writePendingCookie('', 0, secure)),
  };
}
