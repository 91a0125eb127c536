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

const moreAtEnd = Buffer.from('],"has_more":true}');

/**
 * The header `Link` of a page; undefined on the last one. A list's bytes are not parsed for it: `has_more` is at their end, after
 * the rows, and of these the last one alone is read.
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
  const rowsEnd = body.length - moreAtEnd.length;
  if (rowsEnd < 0 || !body.subarray(rowsEnd).equals(moreAtEnd)) return undefined;
  const row = body.toString('utf8', lastObjectStart(body, rowsEnd), rowsEnd);
  return (JSON.parse(row) as { readonly id: string }).id;
}

const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d];

/** Where the object begins that ends at `end`: backwards through JSON, over the braces that strings have. */
function lastObjectStart(body: Buffer, end: number): number {
  let depth = 0;
  for (let at = end - 1; at > 0; at -= 1) {
    const byte = body[at];
    if (byte === quote) at = stringStart(body, at);
    else if (byte === close) depth += 1;
    else if (byte === open) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw new TypeError('The rows of a list that has more do not end with an object.');
}

/** Where the string begins whose last quote is at `end`. A quote after an odd number of backslashes is one of its characters. */
function stringStart(body: Buffer, end: number): number {
  let at = end;
  let escapes: number;
  do {
    at = body.lastIndexOf(quote, at - 1);
    escapes = 0;
    while (body[at - 1 - escapes] === backslash) escapes += 1;
  } while (escapes % 2 === 1);
  return at;
}
