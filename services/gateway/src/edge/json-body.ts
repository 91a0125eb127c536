import { isUtf8 } from 'node:buffer';
import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance } from 'fastify';
import { isTooDeep, jsonDepthMax } from './json-depth.rules.ts';

/**
 * Bodies are JSON in UTF-8, or nothing: an empty body is no body, whatever type it claims.
 * @param prototypes `__proto__` and `constructor.prototype`: `ignore` leaves them, as fields of no effect, to a strict
 * schema; `error` is for bodies that other people's code reads
 */
export function acceptJsonBodies(server: FastifyInstance, prototypes: 'ignore' | 'error'): void {
  const parseJson = server.getDefaultJsonParser(prototypes, prototypes);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, body: Buffer, done) => {
    const encoding = req.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') return done(unsupported('Compressed bodies are not taken.'));
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(malformed('The body is not UTF-8.'));
    if (isTooDeep(body)) return done(malformed(`The body is nested deeper than ${jsonDepthMax} levels.`));
    void parseJson(req, body.toString('utf8'), done);
  });
  server.addContentTypeParser('*', (req, _payload, done) => {
    if (req.headers['content-length'] === '0') return done(null, undefined);
    done(unsupported('Send JSON, with Content-Type: application/json.'));
  });
}

function malformed(detail: string): DomainError {
  return new DomainError('malformed_json', detail);
}

function unsupported(detail: string): DomainError {
  return new DomainError('unsupported_media_type', detail);
}
