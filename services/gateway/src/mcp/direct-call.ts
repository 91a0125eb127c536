import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '../api/app.ts';
import { callByName } from './call-tool.ts';
import type { Caller, Client } from './caller.ts';
import type { Confirmations } from './confirmation.ts';
import { genericTools } from './generic-tools.ts';
import { serverInfo } from './mcp-server.ts';
import { previewOf } from './previews/all-previews.ts';
import { tools } from './tools.ts';

type Values = Readonly<Record<string, unknown>>;

interface Call {
  readonly id: string | number;
  readonly name: string;
  readonly given: Record<string, unknown>;
  readonly era: 'modern' | 'legacy';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasOnly = (value: Values, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const prefix = 'io.modelcontextprotocol/';
const current = '2026-07-28';
const former: readonly unknown[] = [undefined, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const ofTracing = ['progressToken', 'traceparent', 'tracestate', 'baggage'];

/**
 * Answers a call of a tool without the SDK, which builds a server for each request: most of what such a call costs. Null for whatever is
 * not plainly such a call, or needs more than one answer: the SDK judges it. `mcp-direct.test.ts` holds both against each other.
 */
export async function callDirectly(
  app: App,
  confirmations: Confirmations,
  caller: Caller,
  headers: IncomingHttpHeaders,
  body: unknown,
): Promise<{ readonly era: Call['era']; readonly message: string } | null> {
  const call = directCallOf(headers, body);
  if (call === null) return null;
  const { id, era } = call;
  const client: Client = { readsStructuredErrors: era === 'modern', question: null };
  const result = await callByName(app, confirmations, caller, call, client);
  const whole =
    era === 'modern' ? { ...result, resultType: 'complete', _meta: { [`${prefix}serverInfo`]: serverInfo } } : result;
  return { era, message: caller.bodies.putInto(JSON.stringify({ result: whole, jsonrpc: '2.0', id })) };
}

const isToken = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value);
const isProgressToken = (value: unknown): boolean => value === undefined || isToken(value);

/** The call, where it is plainly one. */
export function directCallOf(headers: IncomingHttpHeaders, body: unknown): Call | null {
  if (!isRecord(body) || !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return null;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isToken(id) || !isRecord(params)) return null;
  const { name, arguments: given = {}, _meta: meta = {} } = params;
  if (!hasOnly(params, ['name', 'arguments', '_meta']) || typeof name !== 'string') return null;
  if (!isRecord(given) || !isRecord(meta) || !isProgressToken(meta.progressToken)) return null;
  const era = eraOf(headers, name, meta);
  return era === null ? null : { id: id as Call['id'], name, given, era };
}

function eraOf(headers: IncomingHttpHeaders, name: string, meta: Values): Call['era'] | null {
  const version = headers['mcp-protocol-version'];
  const isKnown = genericTools.some((one) => one.name === name) || tools.some((one) => one.name === name);
  if (!isKnown || headers['mcp-session-id'] !== undefined) return null;
  if (version === current) return isCurrent(headers, name, meta) && !mayAsk(name, meta) ? 'modern' : null;
  const isFormer = headers['mcp-method'] === undefined && Object.keys(meta).every((key) => !key.startsWith(prefix));
  return isFormer && former.includes(version) ? 'legacy' : null;
}

/** The headers repeat what the message says. */
function isCurrent(headers: IncomingHttpHeaders, name: string, meta: Values): boolean {
  const known = ['protocolVersion', 'clientCapabilities', 'clientInfo'].map((key) => prefix + key);
  const { [`${prefix}clientInfo`]: info, [`${prefix}clientCapabilities`]: capabilities } = meta;
  const isInfo =
    info === undefined || (isRecord(info) && [info.name, info.version].every((one) => typeof one === 'string'));
  return (
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name &&
    meta[`${prefix}protocolVersion`] === current &&
    hasOnly(meta, [...known, ...ofTracing]) &&
    isInfo &&
    isRecord(capabilities) &&
    Object.values(capabilities).every(isRecord)
  );
}

/** Whether the client shows its user questions, and the tool may have one. */
function mayAsk(name: string, meta: Values): boolean {
  const { elicitation } = meta[`${prefix}clientCapabilities`] as Values;
  if (elicitation === undefined) return false;
  const tool = tools.find((one) => one.name === name);
  return tool === undefined ? name === 'write' : previewOf(tool.operation) !== undefined;
}
