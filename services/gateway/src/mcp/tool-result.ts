import { type FieldError, publicCode } from '@app/contracts/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { excerpt } from '../problems/excerpt.rules.ts';
import { shortened } from '../problems/problem-document.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import type { Caller } from './caller.ts';
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
): Promise<CallToolResult> {
  let limit = Number.POSITIVE_INFINITY;
  for (let requested = 1; ; requested++) {
    const shown = resultOf(await request(Number.isFinite(limit) ? { ...query, limit } : query), full);
    const { next, data } = shown.structuredContent as { next?: unknown; data?: unknown };
    const wasCut = next !== undefined && Array.isArray(data) && shown.rowsLeftOut > 0;
    const { rowsLeftOut: _, ...result } = shown;
    if (!wasCut || requested === pagesMax) return result;
    // The last one is of one row: there is no shorter one.
    limit = requested === pagesMax - 1 ? 1 : Math.max(1, Math.min(data.length, limit - 1));
  }
}

/** The body as a structure, and again as text for clients that know only text. */
function resultOf(body: Uint8Array, full: boolean): CallToolResult & { readonly rowsLeftOut: number } {
  const text = Buffer.from(body).toString('utf8');
  const value = JSON.parse(text) as Record<string, unknown>;
  const { value: short, note, rowsLeftOut } = shortResult(value, body.byteLength, full ? fullBytesMax : shortBytesMax);
  if (note === null) return { content: [{ type: 'text', text }], structuredContent: short, rowsLeftOut };
  const advice = full
    ? 'Read the whole over HTTP.'
    : `Call again with full: true for the whole, or page with limit and ${'next' in value ? 'after' : 'before'}.`;
  return {
    content: [
      { type: 'text', text: JSON.stringify(short) },
      { type: 'text', text: `${note} ${advice}` },
    ],
    structuredContent: short,
    rowsLeftOut,
  };
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
