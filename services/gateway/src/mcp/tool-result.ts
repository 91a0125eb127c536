import { type FieldError, publicCode } from '@app/contracts/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { excerpt } from '../problems/excerpt.rules.ts';
import { shortened } from '../problems/problem-document.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import type { Caller } from './caller.ts';
import type { PassedBodies } from './passed-bodies.ts';
import type { Preview } from './previews/preview.ts';
import { shortResult } from './short-result.rules.ts';

/** A model reads at most 20 KB of a result unless it requests the whole: this much data, and the note about what is cut. */
const shortBytesMax = 19_000;
/** The largest funnel, whose emails are 1 MiB, twice and with its quotes escaped. */
const fullBytesMax = 3 * 1024 * 1024;

const pagesMax = 4;

/**
 * A page with a cursor of its own (`next`) is requested again with as many rows as fit, so that its cursor leads on from the
 * last row that is shown. Pages without one lead on from the id of their last row, wherever they were cut.
 */
export async function pageOf(
  request: (query: Record<string, unknown>) => Promise<Uint8Array>,
  query: Record<string, unknown>,
  full: boolean,
  bodies: PassedBodies,
): Promise<CallToolResult> {
  let limit = Number.POSITIVE_INFINITY;
  for (let requested = 1; ; requested++) {
    const body = await request(Number.isFinite(limit) ? { ...query, limit } : query);
    const whole = wholeResult(body, full ? fullBytesMax : shortBytesMax, bodies);
    if (whole !== null) return whole;
    const { result, value, rowsLeftOut } = cutResult(body, full);
    const { next, data } = value as { next?: unknown; data?: unknown };
    const wasCut = next !== undefined && Array.isArray(data) && rowsLeftOut > 0;
    if (!wasCut || requested === pagesMax) return result;
    // The last one is of one row: there is no shorter one.
    limit = requested === pagesMax - 1 ? 1 : Math.max(1, Math.min(data.length, limit - 1));
  }
}

/** The body as it came, as a structure and again as text for clients that know only text; null where it is too long. */
function wholeResult(body: Uint8Array, bytesMax: number, bodies: PassedBodies): CallToolResult | null {
  if (body.byteLength * 2 > bytesMax) return null;
  const json = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const quoted = JSON.stringify(json);
  if (body.byteLength + Buffer.byteLength(quoted) > bytesMax) return null;
  const { text, structuredContent } = bodies.add(json, quoted);
  return { content: [{ type: 'text', text }], structuredContent: { ...structuredContent } };
}

/** The same of a body that is too long. */
function cutResult(body: Uint8Array, full: boolean) {
  const whole = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  const { value, note, rowsLeftOut } = shortResult(whole, body.byteLength, full ? fullBytesMax : shortBytesMax);
  const advice = full
    ? 'Read the whole over HTTP.'
    : `Call again with full: true for the whole, or page with limit and ${'next' in whole ? 'after' : 'before'}.`;
  const text = (words: string) => ({ type: 'text' as const, text: words });
  const content = [text(JSON.stringify(value)), ...(note === null ? [] : [text(`${note} ${advice}`)])];
  return { result: { content, structuredContent: value }, value, rowsLeftOut };
}

/** What a call that needs the seller's consent would do. It was not made, and that is no error. */
export function previewResult(
  { detail, amountCents, currency, facts }: Preview,
  mayRead: boolean,
  hasChanged: boolean,
): CallToolResult {
  const amount = amountCents === undefined ? {} : { expectedCents: amountCents, currency };
  const saying = amountCents === undefined ? 'confirm: true' : `confirm: true and expectedCents: ${amountCents}`;
  const value = {
    code: 'confirmation_required',
    detail,
    ...amount,
    ...(mayRead && { preview: facts }),
    next: `Nothing was done${hasChanged ? ': this has changed since it was shown' : ''}. Show the seller this; when they agree, call again with ${saying}. With an idempotencyKey of your own a repeat of that call has one effect.`,
  };
  const { value: short } = shortResult(value, Buffer.byteLength(JSON.stringify(value)), shortBytesMax);
  return { content: [{ type: 'text', text: JSON.stringify(short) }], structuredContent: short };
}

/** The seller was asked and did not agree. */
export function refusedBySeller(): CallToolResult {
  const value = { code: 'confirmation_declined', detail: 'The seller did not agree: nothing was done.' };
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

interface ToolError {
  readonly code: string;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  readonly requestId: string;
}

/** @param structured false for clients of 2025, which check the structure of an error with the tool's output schema */
export function errorResult(err: unknown, { requestId, onFailure }: Caller, structured: boolean): CallToolResult {
  const error = toDomainError(err);
  onFailure({ error, cause: err });
  const { code, message, errors } = error;
  const told: ToolError = {
    code: publicCode(code),
    detail: excerpt(message, 2_000),
    fields: shortened(errors),
    requestId,
  };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(told) }],
    ...(structured ? { structuredContent: { ...told } } : {}),
  };
}
