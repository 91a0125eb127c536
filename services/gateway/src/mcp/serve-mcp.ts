import type { IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { App } from '../api/app.ts';
import type { Caller } from './caller.ts';
import { createConfirmations } from './confirmation.ts';
import { createMcpServer } from './mcp-server.ts';

/** What answers MCP messages. */
export interface Mcp {
  answer(req: IncomingMessage, body: unknown, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

export function serveMcp(app: App): Mcp {
  const confirmations = createConfirmations(app.clock, app.config.KEY_PEPPER);
  const handler = createMcpHandler(
    ({ era, authInfo }) => createMcpServer(app, confirmations, authInfo?.extra?.caller as Caller, era),
    // The tools of a key do not change while it is used: a subscription to changes is acknowledged, and its stream ends.
    { maxSubscriptions: 256, onerror: (err) => app.logger.debug({ err }, 'MCP message rejected') },
  );
  return {
    answer: async (req, body, caller) => {
      const { keyId, accountId, scopes } = caller.actor;
      const authInfo = { token: '', clientId: keyId ?? accountId, scopes: [...scopes], extra: { caller } };
      const { accept = '' } = req.headers;
      const isModern = String(req.headers['mcp-protocol-version'] ?? '') >= '2026';
      if (!isModern) req.headers.accept = `application/json, ${eventStream}`;
      const request = await toWebRequest(req as NodeIncomingMessageLike, body ?? '');
      const response = await handler.fetch(request, { parsedBody: body, authInfo });
      return isModern || accept.includes(eventStream) ? response : await withoutStream(response, Array.isArray(body));
    },
    close: () => handler.close(),
  };
}

const eventStream = 'text/event-stream';

/**
 * The SDK refuses clients of the 2025 era that do not name both types, and answers the others with a stream. One that names JSON alone, or
 * nothing, gets the stream's messages as JSON: the stream ends with the last response.
 */
async function withoutStream(response: Response, isBatch: boolean): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith(eventStream)) return response;
  const events = (await response.text()).split(/\r?\n\r?\n/);
  const messages = events.flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
    const text = data.join('\n');
    return text === '' ? [] : [JSON.parse(text) as { readonly id?: unknown }];
  });
  const responses = messages.filter((message) => message.id !== undefined);
  return Response.json(isBatch ? responses : responses.at(-1), { status: response.status });
}
