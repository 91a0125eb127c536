import type { ServerResponse } from 'node:http';
import { type FieldError, publicCode } from '@app/contracts/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { App } from '../api/app.ts';
import { callOperation } from '../api/call-operation.ts';
import { checkAccess } from '../api/check-access.ts';
import type { RequestFailure } from '../edge/request-log.ts';
import type { Actor } from '../identity/actors.ts';
import { excerpt } from '../problems/excerpt.rules.ts';
import { shortened } from '../problems/problem-document.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import { shortResult } from './short-result.rules.ts';
import type { Tool } from './tool.ts';
import { ConfirmationNeeded, pick, toolRequest } from './tool-arguments.ts';

/** Who calls tools in one HTTP request. */
export interface Caller {
  readonly actor: Actor;
  readonly requestId: string;
  readonly baseUrl: string;
  /** Carries the result. */
  readonly res: ServerResponse;
  /** Called with every failure, for the request's line in the log. */
  readonly onFailure: (failure: RequestFailure) => void;
}

/** Whether this caller may see and call the tool. */
export function mayCall(actor: Actor, { operation }: Tool): boolean {
  try {
    checkAccess(operation, actor, {});
    return true;
  } catch {
    return false;
  }
}

interface ToolError {
  readonly code: string;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  readonly requestId: string;
}

/**
 * Calls the tool's operation, as HTTP would: `structuredContent` is the body of the response, cut when it is long, and
 * the text is its JSON. Never throws: an error is a result with `isError`.
 * @param structuredErrors false for clients of 2025, which check the structure of an error with the tool's output schema
 */
export async function callTool(
  app: App,
  caller: Caller,
  tool: Tool,
  given: Record<string, unknown>,
  structuredErrors: boolean,
): Promise<CallToolResult> {
  try {
    checkAccess(tool.operation, caller.actor, {});
    const { operation, full, ...request } = toolRequest(tool, given);
    const read =
      operation.method === 'GET' ? await app.readLimiter.begin(caller.actor.accountId, operation.id, caller.res) : null;
    const call = async (query: Record<string, unknown>): Promise<Uint8Array> => {
      const { body } = await callOperation(app, operation, { ...caller, ...request, query });
      read?.hold(body.byteLength);
      return withoutHidden(tool, body);
    };
    return await pageOf(call, request.query as Record<string, unknown>, full);
  } catch (err) {
    const error = toolError(await withPreview(app, caller, tool, given, err), caller);
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify(error) }],
      ...(structuredErrors ? { structuredContent: { ...error } } : {}),
    };
  }
}

function withoutHidden({ hides }: Tool, body: Uint8Array): Uint8Array {
  if (hides === undefined) return body;
  const value = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  for (const name of hides) delete value[name];
  return Buffer.from(JSON.stringify(value));
}

/** What a call without its confirmation would do, in the words of the tool's preview. A preview that fails is left out. */
async function withPreview(
  app: App,
  caller: Caller,
  { preview }: Tool,
  given: Record<string, unknown>,
  err: unknown,
): Promise<unknown> {
  if (!(err instanceof ConfirmationNeeded) || preview === undefined) return err;
  try {
    const { params } = preview.operation;
    const request = { ...caller, params: pick(given, params?.shape ?? {}), query: {}, body: undefined };
    const { body } = await callOperation(app, preview.operation, request);
    const result = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
    const fields = Object.fromEntries(preview.fields.map((field) => [field, result[field]]));
    return new ConfirmationNeeded(`${err.message} What it would do now: ${JSON.stringify(fields)}`);
  } catch {
    return err;
  }
}

/** A model reads at most 20 KB of a result unless it requests the whole: this much data, and the note about what is cut. */
const shortBytesMax = 19_000;
/** The largest funnel, whose emails are 1 MiB, twice and with its quotes escaped. */
const fullBytesMax = 3 * 1024 * 1024;

const pagesMax = 4;

/**
 * A page with a cursor of its own (`next`) is requested again with as many rows as fit, so that its cursor leads on from the
 * last row that is shown. Pages without one lead on from the id of their last row, wherever they were cut.
 */
async function pageOf(
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

function toolError(err: unknown, { requestId, onFailure }: Caller): ToolError {
  const error = toDomainError(err);
  onFailure({ error, cause: err });
  const { code, message, errors } = error;
  return { code: publicCode(code), detail: excerpt(message, 2_000), fields: shortened(errors), requestId };
}
