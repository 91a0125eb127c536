import { z } from 'zod';
import type { Operation } from './operation.ts';

/** How a list is read on: by the id of its last row, or by the `next` that it names. */
interface Paging {
  readonly param: 'before' | 'after';
  readonly by: 'id' | 'next';
}

/** Null for an operation whose answer is no page of a list. */
export function pageParamOf({ query, response }: Pick<Operation, 'query' | 'response'>): Paging | null {
  if (query === undefined || !(response instanceof z.ZodObject)) return null;
  if ('next' in response.shape) return { param: 'after', by: 'next' };
  if (!('before' in query.shape) || !('has_more' in response.shape)) return null;
  // The log of events goes forward.
  return { param: 'after' in query.shape ? 'after' : 'before', by: 'id' };
}

const moreAtEnd = Buffer.from('"has_more":true}');
const rowBegin = '{"id":"';

/**
 * The header `Link` of a page; undefined on the last one. A list's bytes are not parsed for it: `has_more` is at their end, and its last
 * row begins with the id.
 * @param url path and query of the request
 */
export function nextLinkOf({ param, by }: Paging, url: string, body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const cursor = by === 'next' ? nextIn(bytes) : lastIdOf(bytes);
  if (cursor === undefined) return undefined;
  const [path = '', search] = url.split('?');
  const query = new URLSearchParams(search);
  // From newest to oldest, as the seller wants to read it.
  query.set(query.get('order') === 'desc' ? 'before' : param, cursor);
  return `<${path}?${query}>; rel="next"`;
}

const nextIn = (body: Buffer): string | undefined =>
  (JSON.parse(body.toString('utf8')) as { readonly next: string | null }).next ?? undefined;

function lastIdOf(body: Buffer): string | undefined {
  if (!body.subarray(-moreAtEnd.length).equals(moreAtEnd)) return undefined;
  // Quotes in texts are escaped, so that none of them looks like the beginning of a row.
  const start = body.lastIndexOf(rowBegin) + rowBegin.length;
  return body.toString('latin1', start, body.indexOf('"', start));
}
