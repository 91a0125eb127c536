import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toDomainError } from '../problems/to-domain-error.ts';
import type { Download } from './operation.ts';

/**
 * Sends a file as it is made. A client that is gone ends the reading. An error ends the connection without the end of the
 * response, so that no client takes what it has for the whole file.
 */
export function sendDownload(
  req: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  { fileName, parts }: Download,
): FastifyReply {
  reply.header('content-type', `${mediaType}; charset=utf-8`);
  reply.header('content-disposition', `attachment; filename="${fileName}"`);
  // Fastify would read the whole file for a HEAD.
  if (req.method === 'HEAD') {
    void parts.return();
    return reply.send(Readable.from([]));
  }
  // Fastify calls the hooks of a response's end only for one that was not cut off.
  const { raw } = reply;
  raw.once('close', () => !raw.writableFinished && raw.emit('error', new Error('the response was cut off')));
  // In bytes, not in parts: a part is read when there is room for it.
  return reply.send(Readable.from(watched(parts, req), { objectMode: false }));
}

/** For the request's line in the log: by then the status has gone out. */
async function* watched(parts: Download['parts'], req: FastifyRequest): AsyncGenerator<string, void, void> {
  try {
    yield* parts;
  } catch (err) {
    req.failure = { error: toDomainError(err), cause: err };
    throw err;
  }
}
