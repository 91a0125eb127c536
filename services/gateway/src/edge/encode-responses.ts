import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ContentCoding, codingOf, mayCompress, namesTag } from './content-coding.rules.ts';

/** One packet, compressed or not. */
const bytesMin = 1_000;
const text = /^(text\/|application\/json|image\/svg)/;

const brotliOf = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
/** Once for each text: 185 ms for the 430 KB of openapi.json, in a thread. */
const once = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotliOf(constants.BROTLI_MAX_QUALITY)),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} satisfies Record<ContentCoding, unknown>;
/** For each response: a page of 20 KB takes 0.2 ms, less than its way to a thread and back. */
const each = {
  br: (page: string) => brotliCompressSync(page, brotliOf(4)),
  gzip: (page: string) => gzipSync(page),
} satisfies Record<ContentCoding, unknown>;

/** What a key reads is mostly repeated names: 100 orders, 55 KB, are 3.4 KB after 0.07 ms, less than writing the rest takes. */
const forKeys = {
  br: (answer: string | Buffer) => brotliCompressSync(answer, brotliOf(1)),
  gzip: (answer: string | Buffer) => gzipSync(answer, { level: 1 }),
} satisfies Record<ContentCoding, unknown>;
/** A shorter answer is in two or three packets in any case. */
const keyBytesMin = 4_000;
/** A longer one would keep the others waiting for more than half a millisecond. */
const keyBytesMax = 512 * 1_024;

interface Coded {
  readonly tag: string;
  readonly codings: Map<ContentCoding, Promise<Buffer>>;
}

/** Bytes that are sent again and again are the same object: they are hashed and compressed once. */
const sentAgain = new WeakMap<Buffer, Coded>();

/**
 * Gives what may be kept an ETag, responds with 304 where the caller has it, and compresses it. What is `no-store` is compressed
 * for API keys alone: that is every answer of the API, and every page that shows a secret.
 */
export function encodeResponses(server: FastifyInstance): void {
  server.addHook('onSend', (req, reply, payload, done) => {
    if (!isWhole(payload)) return done(null, payload);
    const cacheControl = cacheControlOf(reply);
    if (cacheControl.includes('no-store')) return done(null, encodedForKey(req, reply, payload));
    const shrinks = isLongText(reply, payload);
    if (shrinks) addVary(reply, 'Accept-Encoding');
    if (reply.statusCode === 200 && isKnown(req, reply, payload)) {
      reply.code(304).removeHeader('content-type');
      return done(null, null);
    }
    const coding = shrinks ? codingFor(req, cacheControl) : undefined;
    if (coding === undefined) return done(null, payload);
    reply.header('content-encoding', coding);
    if (typeof payload === 'string') return done(null, each[coding](payload));
    compressedOnce(payload, coding).then((bytes) => done(null, bytes), done);
  });
}

const cacheControlOf = (reply: FastifyReply): string => String(reply.getHeader('cache-control') ?? 'no-store');

/** An ETag of the API names the version for `If-Match`, and a compressed answer would need another one. */
function encodedForKey(req: FastifyRequest, reply: FastifyReply, payload: string | Buffer): string | Buffer {
  const bytes = Buffer.byteLength(payload);
  if (req.actor?.kind !== 'key' || bytes < keyBytesMin || bytes > keyBytesMax) return payload;
  if (reply.hasHeader('etag') || !isText(reply)) return payload;
  addVary(reply, 'Accept-Encoding');
  const coding = codingFor(req, 'no-store');
  if (coding === undefined) return payload;
  reply.header('content-encoding', coding).removeHeader('content-length');
  return forKeys[coding](payload);
}

function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary');
  reply.header('vary', given === undefined ? name : `${given}, ${name}`);
}

const isText = (reply: FastifyReply): boolean => text.test(String(reply.getHeader('content-type')));
const isLongText = (reply: FastifyReply, payload: string | Buffer): boolean =>
  isText(reply) && Buffer.byteLength(payload) >= bytesMin;

const isWhole = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

function codingFor({ headers, actor }: FastifyRequest, cacheControl: string): ContentCoding | undefined {
  const secFetchSite = headers['sec-fetch-site'] as string | undefined;
  const hasKey = actor?.kind === 'key';
  const allowed = mayCompress({ cacheControl, hasCookie: headers.cookie !== undefined, secFetchSite, hasKey });
  return allowed ? codingOf(headers['accept-encoding'] as string | undefined) : undefined;
}

/** Weak: it is the same for each coding. */
const tagOf = (bytes: string | Buffer): string => `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;

function coded(bytes: Buffer): Coded {
  const known = sentAgain.get(bytes) ?? { tag: tagOf(bytes), codings: new Map<ContentCoding, Promise<Buffer>>() };
  sentAgain.set(bytes, known);
  return known;
}

function compressedOnce(bytes: Buffer, coding: ContentCoding): Promise<Buffer> {
  const { codings } = coded(bytes);
  const known = codings.get(coding) ?? once[coding](bytes);
  codings.set(coding, known);
  return known;
}

/** Gives the reply its ETag. */
function isKnown({ method, headers }: FastifyRequest, reply: FastifyReply, payload: string | Buffer): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const tag = typeof payload === 'string' ? tagOf(payload) : coded(payload).tag;
  reply.header('etag', tag);
  return namesTag(headers['if-none-match'], tag);
}
