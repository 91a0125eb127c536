import type { ServerResponse } from 'node:http';
import type { FieldError } from '@app/contracts/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';
import { checkAllowed } from '../http/allowed.ts';
import { callOperation } from '../http/call-operation.ts';
import { excerpt } from '../http/excerpt.rules.ts';
import { publicCode, shortened } from '../http/problem.ts';
import type { Refused } from '../http/request-lines.ts';
import { refusalOf } from '../http/send-problem.ts';
import { shortResult } from './short-result.rules.ts';
import type { Tool } from './tool.ts';
import { toolRequest } from './tool-arguments.ts';

/** Who calls tools in one HTTP request. */
export interface Caller {
  readonly actor: Actor;
  readonly requestId: string;
  readonly baseUrl: string;
  /** What the answer goes out on. */
  readonly res: ServerResponse;
  /** Told of every refusal, for the request's line in the log. */
  readonly refused: (refused: Refused) => void;
}

/** Whether this caller sees the tool, and whether a call of it gets anywhere. */
export function mayCall(actor: Actor, tool: Tool): boolean {
  return refusalToCall(actor, tool) === null;
}

function refusalToCall(actor: Actor, { operation }: Tool): unknown {
  try {
    checkAllowed(operation, actor);
    return null;
  } catch (refusal) {
    return refusal;
  }
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  readonly requestId: string;
}

/**
 * Does what the tool says, as its operation would over HTTP: `structuredContent` is the body of that answer, cut when it
 * is long, and the text is its JSON. Never throws: a refusal is a result that says so.
 * @param structuredRefusals false for clients of 2025, which hold a refusal's structure against the tool's output schema
 */
export async function callTool(
  app: App,
  caller: Caller,
  tool: Tool,
  given: Record<string, unknown>,
  structuredRefusals: boolean,
): Promise<CallToolResult> {
  try {
    const refused = refusalToCall(caller.actor, tool);
    if (refused !== null) throw refused;
    const { operation, full, ...request } = toolRequest(tool, given);
    const place =
      operation.method === 'GET' ? await app.answerRoom.enter(caller.actor.accountId, operation.id, caller.res) : null;
    const { body } = await callOperation(app, operation, { ...caller, ...request });
    place?.settle(body.byteLength);
    return resultOf(body, full);
  } catch (err) {
    const refusal = refusalIn(err, caller);
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify(refusal) }],
      ...(structuredRefusals ? { structuredContent: { ...refusal } } : {}),
    };
  }
}

/** A model reads at most so much of an answer, unless it asks for the whole; what it is told beside takes the rest of 20 KB. */
const shortBytesMax = 19_000;
/** The largest funnel, whose emails are 1 MiB, twice and with its quotes escaped. */
const fullBytesMax = 3 * 1024 * 1024;

/** The answer as a structure, and again as text for clients that know only that. */
function resultOf(body: Uint8Array, full: boolean): CallToolResult {
  const text = Buffer.from(body).toString('utf8');
  const answer = JSON.parse(text) as Record<string, unknown>;
  const { value, note } = shortResult(answer, body.byteLength, full ? fullBytesMax : shortBytesMax);
  if (note === null) return { content: [{ type: 'text', text }], structuredContent: value };
  const advice = full
    ? 'Read the whole over HTTP.'
    : 'Call again with full: true for the whole, or page with limit and before.';
  return {
    content: [
      { type: 'text', text: JSON.stringify(value) },
      { type: 'text', text: `${note} ${advice}` },
    ],
    structuredContent: value,
  };
}

function refusalIn(err: unknown, { requestId, refused }: Caller): Refusal {
  const refusal = refusalOf(err);
  refused({ refusal, err });
  const { code, message, errors } = refusal;
  return { code: publicCode(code), detail: excerpt(message, 2_000), fields: shortened(errors), requestId };
}
