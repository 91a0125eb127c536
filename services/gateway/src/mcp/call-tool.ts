import { DomainError, type FieldError } from '@app/contracts/errors';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { App } from '../api/app.ts';
import { callOperation, checkInput, type Input } from '../api/call-operation.ts';
import { checkAccess } from '../api/check-access.ts';
import { type Operation, takesIdempotencyKey } from '../api/operation.ts';
import { signingSecret } from '../api/signing-secrets.ts';
import type { Actor } from '../identity/actors.ts';
import type { Caller, Client } from './caller.ts';
import { answeredQuestion, type Confirmations, callDigest, decide } from './confirmation.ts';
import { findOperations, type GenericTool, genericCall, genericTools } from './generic-tools.ts';
import { previewOf } from './previews/all-previews.ts';
import type { PreviewDefinition, PreviewedCall } from './previews/preview.ts';
import { operation as operationOf, type Tool } from './tool.ts';
import { type ToolRequest, toolRequest } from './tool-arguments.ts';
import { errorResult, pageOf, previewResult, refusedBySeller } from './tool-result.ts';
import { tools } from './tools.ts';

/** Whether this caller may see and call the tool. */
export function mayCall(actor: Actor, { operation }: Tool): boolean {
  try {
    checkAccess(operation, actor, {});
    return true;
  } catch {
    return false;
  }
}

/** Calls a tool by its name, also by one that it had before; undefined where there is none. */
export function callByName(
  app: App,
  confirmations: Confirmations,
  caller: Caller,
  { name, given }: { readonly name: string; readonly given: Record<string, unknown> },
  client: Client,
): Promise<CallToolResult | InputRequiredResult> | undefined {
  const generic = genericTools.find((one) => one.name === name);
  if (generic !== undefined) return callGeneric(app, confirmations, caller, generic, given, client);
  const tool = tools.find((one) => one.name === name);
  return tool && callTool(app, confirmations, caller, tool, given, client);
}

/**
 * Calls the tool's operation, as HTTP would: `structuredContent` is the body of the response, cut when it is long, and
 * the text is its JSON. What needs the seller's consent is done once there is one. Never throws: an error is a result with `isError`.
 */
async function callTool(
  app: App,
  confirmations: Confirmations,
  caller: Caller,
  tool: Tool,
  given: Record<string, unknown>,
  client: Client,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    checkAccess(tool.operation, caller.actor, {});
    const resolved = await resolvedCall(app, caller, tool, given);
    const request = toolRequest(resolved.tool ?? tool, resolved.given);
    const input = checkInput(request.operation, request, [...resolved.faults, ...request.faults]);
    const definition = previewOf(request.operation);
    if (definition === undefined) return await perform(app, caller, request);
    return await withConsent(app, confirmations, caller, { request, input, definition }, client);
  } catch (err) {
    return errorResult(err, caller, client.readsStructuredErrors);
  }
}

interface ResolvedCall {
  readonly given: Record<string, unknown>;
  /** Where another operation is meant. */
  readonly tool?: Tool;
  readonly faults: readonly FieldError[];
}

/** What a model knows as the operation's arguments. What is wrong with it is told beside the faults of the others, all at once. */
async function resolvedCall(
  app: App,
  caller: Caller,
  tool: Tool,
  given: Record<string, unknown>,
): Promise<ResolvedCall> {
  const { resolve, extra = {} } = tool;
  if (resolve === undefined) return { given, faults: [] };
  try {
    return { ...(await resolve(given, readerFor(app, caller))), faults: [] };
  } catch (err) {
    // Without a fault the call would be made, and not of what was meant.
    if (!(err instanceof DomainError) || err.errors.length === 0) throw err;
    const others = Object.entries(given).filter(([name]) => !Object.hasOwn(extra, name));
    return { given: Object.fromEntries(others), faults: err.errors };
  }
}

/**
 * Calls a tool over the list of operations.
 * @throws never, as `callTool`
 */
async function callGeneric(
  app: App,
  confirmations: Confirmations,
  caller: Caller,
  generic: GenericTool,
  given: Record<string, unknown>,
  client: Client,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    if (generic.name === 'find') return await pageOf(async () => found(caller.actor, given), {}, false, caller.bodies);
    const call = genericCall(generic, given);
    return await callTool(app, confirmations, caller, call.tool, call.given, client);
  } catch (err) {
    return errorResult(err, caller, client.readsStructuredErrors);
  }
}

const found = (actor: Actor, given: Record<string, unknown>): Buffer =>
  Buffer.from(JSON.stringify(findOperations(actor, given)));

async function perform(app: App, caller: Caller, request: ToolRequest): Promise<CallToolResult> {
  const { operation, params, body, idempotencyKey } = request;
  const read = await beginRead(app, caller, operation);
  const call = async (query: Record<string, unknown>): Promise<Uint8Array> => {
    const result = await callOperation(app, operation, { ...caller, params, query, body, idempotencyKey });
    read?.hold(result.body.byteLength);
    return withoutSecret(operation, result.body);
  };
  return await pageOf(call, request.query, request.full, caller.bodies);
}

/** Of the reads that one account runs at once; null for what is none. */
async function beginRead(app: App, { actor, res }: Caller, { id, method }: Operation) {
  return method === 'GET' ? await app.readLimiter.begin(actor.accountId, id, res) : null;
}

/**
 * What a read answers, for a resource.
 * @throws DomainError
 */
export async function readBody(
  app: App,
  caller: Caller,
  operation: Operation,
  params: Record<string, unknown>,
): Promise<Buffer> {
  const read = await beginRead(app, caller, operation);
  const { body } = await callOperation(app, operation, { ...caller, params, query: {}, body: undefined });
  read?.hold(body.byteLength);
  return Buffer.from(body);
}

const seenByTheSeller = 'No model is shown the signing secret: the seller sees it in the dashboard.';

/** What signs webhooks is for the seller and the receiver: in a model's context it would be in logs and transcripts. */
function withoutSecret({ secret }: Operation, body: Uint8Array): Uint8Array {
  if (secret !== signingSecret) return body;
  const { secret: shown, secret_notice, ...value } = JSON.parse(Buffer.from(body).toString('utf8'));
  if (shown === undefined && secret_notice === undefined) return body;
  return Buffer.from(JSON.stringify({ ...value, secret_notice: seenByTheSeller }));
}

interface AskedAbout {
  readonly request: ToolRequest;
  readonly input: Input;
  readonly definition: PreviewDefinition;
}

/** Makes the call once the seller has agreed to it; until then the caller gets what it would do. */
async function withConsent(
  app: App,
  confirmations: Confirmations,
  caller: Caller,
  { request, input, definition }: AskedAbout,
  { question }: Client,
): Promise<CallToolResult | InputRequiredResult> {
  const { operation, confirm, expectedCents } = request;
  const call = callDigest(caller.actor, operation.id, input);
  // An answer that comes twice is the answer to one question: on every replica it has one effect.
  const answered = answeredQuestion(call, { question });
  const ownKey = answered && takesIdempotencyKey(operation, 'mcp') ? `answer-${answered.id}` : undefined;
  const once = { ...request, idempotencyKey: request.idempotencyKey ?? ownKey };
  const repeated = confirm === false ? null : await answerBefore(app, caller, once);
  if (repeated !== null) return repeated;
  const preview = await definition.run(previewedCall(app, caller, input));
  if (preview === null) return await perform(app, caller, once);
  const mayRead = caller.actor.scopes.has('read');
  const shown = mayRead ? preview : { ...preview, facts: {}, agreed: preview.agreed ?? preview.facts };
  const decision = await decide(confirmations, call, shown, {
    previewsKnown: caller.previewsKnown,
    confirm,
    expectedCents,
    question,
  });
  switch (decision.kind) {
    case 'go':
      return await perform(app, caller, once).finally(() => confirmations.end(call));
    case 'ask':
      return decision.result;
    case 'refused':
      return refusedBySeller();
    case 'show':
      return previewResult(preview, mayRead, decision.hasChanged);
  }
}

/** The answer to a call that took effect under this Idempotency-Key: its preview would be of what is left to do. */
async function answerBefore(app: App, caller: Caller, request: ToolRequest): Promise<CallToolResult | null> {
  const { operation, params, query, body, idempotencyKey, full } = request;
  if (idempotencyKey === undefined) return null;
  try {
    const before = { ...caller, params, query, body, idempotencyKey, onlyRepeats: true };
    const result = await callOperation(app, operation, before);
    return await pageOf(async () => withoutSecret(operation, result.body), query, full, caller.bodies);
  } catch (err) {
    if (err instanceof DomainError && err.code === 'version_changed') return null;
    throw err;
  }
}

function previewedCall(app: App, caller: Caller, { params, query, body }: Input): PreviewedCall {
  return {
    params: params as PreviewedCall['params'],
    query: query as PreviewedCall['query'],
    body: (body ?? {}) as PreviewedCall['body'],
    read: readerFor(app, caller),
  };
}

/** A preview shows what the call does to whoever may make it: its amounts, and to a key with `read` the rest. */
function readerFor(app: App, caller: Caller): PreviewedCall['read'] {
  const actor: Actor = { ...caller.actor, scopes: new Set([...caller.actor.scopes, 'read']) };
  return async (operationId, params = {}, query = {}) => {
    const request = { ...caller, actor, params, query, body: undefined };
    const { body } = await callOperation(app, operationOf(operationId), request);
    return JSON.parse(Buffer.from(body).toString('utf8'));
  };
}
