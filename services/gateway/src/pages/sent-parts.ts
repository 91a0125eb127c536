import { DomainError } from '@app/contracts/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a form with fields for files sent. */
export class SentParts {
  readonly form = new URLSearchParams();
  /** Base64 by the name of the field. */
  readonly files = new Map<string, string>();
}

/** Lets forms of these pages send files, as `multipart/form-data`. */
export function takeFiles(pages: FastifyInstance, bodyLimit: number): void {
  const options = { parseAs: 'buffer', bodyLimit } as const;
  pages.addContentTypeParser('multipart/form-data', options, async (req: FastifyRequest, body: Buffer<ArrayBuffer>) =>
    readParts(req.headers['content-type'] ?? '', body),
  );
}

/** @throws DomainError malformed_request */
async function readParts(contentType: string, body: Buffer<ArrayBuffer>): Promise<SentParts> {
  const sent = new SentParts();
  for (const [name, value] of await partsOf(contentType, body)) {
    if (typeof value === 'string') sent.form.append(name, value);
    else if (value.size > 0) sent.files.set(name, Buffer.from(await value.arrayBuffer()).toString('base64'));
  }
  return sent;
}

/** Node's own parser, which is that of `fetch`. */
async function partsOf(contentType: string, body: Buffer<ArrayBuffer>): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new DomainError('malformed_request', 'The form is malformed.');
  }
}
