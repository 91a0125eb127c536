import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { problemDocument, problemType } from '../problems/problem-document.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { baseUrlOf } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';
import { securityHeaders } from './security-headers.ts';

/** A rejected client has this long to read why. Then the connection is closed, whatever the client does. */
const lingerMs = 1_000;

/** Rejects a request that Node could not even parse: there is no reply, only the socket. */
export function rejectUnreadable(
  config: EdgeConfig,
  err: NodeJS.ErrnoException,
  socket: Socket,
  readWithinMs = lingerMs,
): void {
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(responseText(config, socket, errorOf(err)));
  // `end` closes our half. The other half closes when the client ends too, which a hanging client never does.
  const timer = setTimeout(() => socket.destroy(), readWithinMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

function errorOf({ code }: NodeJS.ErrnoException): DomainError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new DomainError('headers_too_large', 'The address and the headers may have 16 KB together.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DomainError('malformed_request', 'The request took too long to arrive.');
    default:
      return new DomainError('malformed_request', 'This is not a valid HTTP request.');
  }
}

/** Rejects a connection beyond the limit. It is closed at once: connections that linger would count as well. */
export function rejectConnection(config: EdgeConfig, socket: Socket): void {
  const detail = 'The server has too many open connections: repeat the request in a few seconds.';
  socket.on('error', () => socket.destroy());
  socket.write(responseText(config, socket, new RetryLaterError('service_unavailable', detail, 1)));
  socket.destroySoon();
}

function responseText(config: EdgeConfig, socket: Socket, error: DomainError): string {
  const requestId = newIdSuffix(Date.now());
  const { status, body, retryAfterSeconds } = problemDocument(error, baseUrlOf(config, socket), requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${problemType}`,
    `content-length: ${body.length}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(securityHeaders(config)).map(([name, value]) => `${name}: ${value}`),
    ...(retryAfterSeconds === null ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body.toString('utf8')}`;
}
