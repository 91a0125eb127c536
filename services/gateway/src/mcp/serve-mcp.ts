import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type NodeIncomingMessageLike, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { App } from '../api/app.ts';
import type { Caller } from './caller.ts';
import { createConfirmations } from './confirmation.ts';
import { callDirectly } from './direct-call.ts';
import { createMcpServer, type McpExtension } from './mcp-server.ts';
import type { PassedBodies } from './passed-bodies.ts';

/** What is sent back. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Readable;
}

/** What answers MCP messages. */
export interface Mcp {
  answer(req: IncomingMessage, body: unknown, sender: Omit<Caller, 'previewsKnown'>): Promise<McpAnswer>;
  close(): Promise<void>;
}

/** @param extension of tests */
export function serveMcp(app: App, extension?: McpExtension): Mcp {
  const confirmations = createConfirmations(app.clock, app.config.KEY_PEPPER);
  const handler = createMcpHandler(
    ({ era, authInfo }) => createMcpServer(app, confirmations, authInfo?.extra?.caller as Caller, era, extension),
    // The tools of a key do not change while it is used: a subscription to changes is acknowledged, and its stream ends.
    { maxSubscriptions: 256, onerror: (err) => app.logger.debug({ err }, 'MCP message rejected') },
  );
  return {
    answer: async (req, body, sender) => {
      const caller: Caller = { ...sender, previewsKnown: confirmations.given() };
      const { keyId, accountId, scopes } = caller.actor;
      const authInfo = { token: '', clientId: keyId ?? accountId, scopes: [...scopes], extra: { caller } };
      const { accept = '' } = req.headers;
      const direct = await callDirectly(app, confirmations, caller, req.headers, body);
      if (direct !== null) return directAnswer(direct, accept);
      const isModern = String(req.headers['mcp-protocol-version'] ?? '') >= '2026';
      if (!isModern) req.headers.accept = `application/json, ${eventStream}`;
      const request = await toWebRequest(req as NodeIncomingMessageLike, body ?? '');
      const response = await handler.fetch(request, { parsedBody: body, authInfo });
      const isStream = response.headers.get('content-type')?.startsWith(eventStream) === true;
      if (isModern && isStream) return { ...headOf(response), body: Readable.from(parts(response, caller.bodies)) };
      // A stream of the 2025 era ends with the last response, and nothing of the product comes before that.
      const text = await response.text();
      if (!isStream || accept.includes(eventStream)) return { ...headOf(response), body: caller.bodies.putInto(text) };
      const messages = caller.bodies.putInto(withoutStream(text, Array.isArray(body)));
      return { status: response.status, headers: { 'content-type': json }, body: messages };
    },
    close: () => handler.close(),
  };
}

const eventStream = 'text/event-stream';
const json = 'application/json';

const headOf = ({ status, headers }: Response) => ({ status, headers: Object.fromEntries(headers) });

/** As the SDK sends it: in the 2025 era as a stream of one message. */
function directAnswer(
  { era, message }: { readonly era: 'modern' | 'legacy'; readonly message: string },
  accept: string,
) {
  if (era === 'modern' || !accept.includes(eventStream))
    return { status: 200, headers: { 'content-type': json }, body: message };
  const headers = { 'content-type': eventStream, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
  return { status: 200, headers, body: `event: message\ndata: ${message}\n\n` };
}

async function* parts(response: Response, bodies: PassedBodies) {
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) yield bodies.putInto(decoder.decode(part, { stream: true }));
}

/**
 * The SDK refuses clients of the 2025 era that do not name both types, and answers the others with a stream. One that names JSON alone, or
 * nothing, gets the stream's messages as JSON.
 */
function withoutStream(stream: string, isBatch: boolean): string {
  const messages = stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
    return data.length === 0 || data.join('') === '' ? [] : [data.join('\n')];
  });
  const responses = messages.filter((message) => 'id' in JSON.parse(message));
  return isBatch ? `[${responses.join(',')}]` : (responses.at(-1) ?? '');
}
