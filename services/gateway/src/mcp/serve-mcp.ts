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
      const request = await toWebRequest(req as NodeIncomingMessageLike, body ?? '');
      return await handler.fetch(request, { parsedBody: body, authInfo });
    },
    close: () => handler.close(),
  };
}
