import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import type { GatewayConfig } from '../config.ts';
import { baseUrlOf } from './addresses.ts';
import { problemOf, problemType } from './problem.ts';
import { securityHeaders } from './security-headers.ts';
import { TemporaryRefusal } from './temporary-refusal.ts';

/** A client that was told to go may read that for so long: then the connection is closed, whatever the client does. */
const lingerMs = 1_000;

/** A request that Node could not even read: the socket is all there is to answer on. */
export function refuseUnreadable(config: GatewayConfig, err: NodeJS.ErrnoException, socket: Socket): void {
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const late = err.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const detail = late ? 'The request took too long to arrive.' : 'This is not a valid HTTP request.';
  socket.end(answerOf(config, socket, new DomainError('malformed_request', detail)));
  // Ending is half of it: the rest comes when the client ends too, which one that hangs never does.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** A connection that finds no place. It is closed at once: those that linger would be places too. */
export function refuseOnSocket(config: GatewayConfig, socket: Socket): void {
  const detail = 'This server has no connection to spare; try again shortly.';
  socket.on('error', () => socket.destroy());
  socket.write(answerOf(config, socket, new TemporaryRefusal('service_unavailable', detail, 1)));
  socket.destroySoon();
}

function answerOf(config: GatewayConfig, socket: Socket, refusal: DomainError): string {
  const requestId = newIdSuffix(Date.now());
  const { status, body } = problemOf(refusal, baseUrlOf(config, socket), requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${problemType}`,
    `content-length: ${body.length}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(securityHeaders(config)).map(([name, value]) => `${name}: ${value}`),
    ...(refusal instanceof TemporaryRefusal ? [`retry-after: ${refusal.retryAfterSeconds}`] : []),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body.toString('utf8')}`;
}
